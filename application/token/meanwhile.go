package token

import "fmt"

// SignMeanwhile signs while what the token stands for is being stored: to wait for the
// disk leaves the processor free. What could not be stored gets no token.
func SignMeanwhile[T any](store func() error, sign func() (T, error)) (T, error) {
	stored := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				stored <- fmt.Errorf("storing what a token stands for panicked: %v", p)
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
