package token

import "fmt"

// SignMeanwhile signs while store stores the object of the token, because waiting for
// the disk leaves the processor idle. If store fails, no token is returned.
func SignMeanwhile[T any](store func() error, sign func() (T, error)) (T, error) {
	stored := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				stored <- fmt.Errorf("storing a token panicked: %v", p)
			}
		}()
		stored <- store()
	}()
	signed, err := sign()
	if refused := <-stored; refused != nil {
		var none T
		return none, refused
	}
	return signed, err
}
