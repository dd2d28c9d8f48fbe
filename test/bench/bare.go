package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/argon2"

	"gatehouse.internal/test/harness/freeport"
)

// bareCommand is the argument by which this program starts itself as the bare server.
const bareCommand = "-bare"

// The paths of the bare server.
const (
	bareSelect = "/select/"
	bareCommit = "/commit"
	bareUpdate = "/update/"
	bareVerify = "/verify"
	bareAnswer = "/answer"
	bareReady  = "/ready"
)

// startBare starts the bare server on the database of an instance.
func startBare(ctx context.Context, i *instance) (*process, error) {
	port, err := freeport.Next(ctx)
	if err != nil {
		return nil, err
	}
	c, err := dial(ctx, i.address)
	if err != nil {
		return nil, err
	}
	defer c.close()
	status, body, err := c.ask(get("/api/v1/commands"))
	if err == nil {
		err = expect(200, status, body)
	}
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, bareCommand, "-port", strconv.Itoa(port), "-store", i.db.store,
		"-dsn", i.db.dsn, "-answer", strconv.Itoa(len(body)))
	return start(ctx, cmd, port, bareReady)
}

// bare answers each path by the one thing that cannot be left out.
type bare struct {
	find, store, count *sql.Stmt
	key                *ecdsa.PrivateKey
	answer             []byte
	claims             []byte
	// signature is the key's over the digest of the claims.
	signature []byte
	passkeys  *barePasskeys
}

// runBare is the bare server's process.
func runBare(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet(bareCommand, flag.ContinueOnError)
	port := flags.Int("port", 0, "where to listen")
	d := &database{}
	flags.StringVar(&d.store, "store", "", "kind of the database")
	flags.StringVar(&d.dsn, "dsn", "", "address of the database")
	answer := flags.Int("answer", 0, "size of the prepared answer")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	b, err := newBare(ctx, d, *answer)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc(bareSelect, b.selected)
	mux.HandleFunc(bareCommit, b.committed)
	mux.HandleFunc(bareUpdate, b.counted)
	mux.HandleFunc(bareVerify, b.verified)
	mux.HandleFunc(bareBegin, b.began)
	mux.HandleFunc(bareFinish, b.finished)
	mux.HandleFunc(bareAnswer, func(w http.ResponseWriter, _ *http.Request) { say(w, b.answer) })
	mux.HandleFunc(bareReady, func(w http.ResponseWriter, _ *http.Request) { say(w, []byte("ready")) })
	server := &http.Server{Addr: "127.0.0.1:" + strconv.Itoa(*port), Handler: mux, ReadHeaderTimeout: patience}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func newBare(ctx context.Context, d *database, answer int) (*bare, error) {
	db, err := d.open()
	if err != nil {
		return nil, err
	}
	writer := db
	if d.store == sqliteStore {
		if writer, err = d.open(); err != nil {
			return nil, err
		}
		writer.SetMaxOpenConns(1) // SQLite has one writer
	}
	// Every connection that load opens is kept: no request waits for a new one.
	const connections = 64
	db.SetMaxIdleConns(connections)
	if _, err := writer.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS bare_commits (id TEXT PRIMARY KEY, digest TEXT NOT NULL)`); err != nil {
		return nil, err
	}
	b := &bare{answer: []byte(strings.Repeat("x", answer)), claims: []byte(strings.Repeat("c", 400))}
	if b.find, err = db.PrepareContext(ctx, d.selectOne()); err != nil {
		return nil, err
	}
	if b.store, err = writer.PrepareContext(ctx, d.insertOne()); err != nil {
		return nil, err
	}
	if err = d.fillCounts(ctx, writer); err != nil {
		return nil, err
	}
	if b.count, err = writer.PrepareContext(ctx, d.updateOne()); err != nil {
		return nil, err
	}
	if b.passkeys, err = newBarePasskeys(ctx, d, writer); err != nil {
		return nil, err
	}
	if b.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	digest := sha256.Sum256(b.claims)
	b.signature, err = b.sign(digest[:])
	return b, err
}

// selectOne reads one row by its primary key.
func (d *database) selectOne() string {
	return `SELECT id, email, display_name, status FROM users WHERE id = ` + d.placeholder(1)
}

// insertOne stores one small row.
func (d *database) insertOne() string {
	return `INSERT INTO bare_commits (id, digest) VALUES (` + d.placeholder(1) + `, ` + d.placeholder(2) + `)`
}

func (b *bare) selected(w http.ResponseWriter, r *http.Request) {
	var id, address, name, status string
	err := b.find.QueryRowContext(r.Context(), strings.TrimPrefix(r.URL.Path, bareSelect)).Scan(&id, &address, &name, &status)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	say(w, fmt.Appendf(nil, `{"id":%q,"email":%q,"display_name":%q,"status":%q}`, id, address, name, status))
}

func (b *bare) committed(w http.ResponseWriter, r *http.Request) {
	digest := sha256.Sum256(b.claims)
	signature, err := b.sign(digest[:])
	if err == nil {
		_, err = b.store.ExecContext(r.Context(), rand.Text(), hex.EncodeToString(digest[:]))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	say(w, fmt.Appendf(nil, `{"signature":"%x"}`, signature))
}

// counted changes one row.
func (b *bare) counted(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, bareUpdate))
	if err == nil {
		_, err = b.count.ExecContext(r.Context(), id)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	say(w, []byte(`{"counted":true}`))
}

// verified checks one signature and stores one row.
func (b *bare) verified(w http.ResponseWriter, r *http.Request) {
	digest, err := b.check()
	if err == nil {
		_, err = b.store.ExecContext(r.Context(), rand.Text(), digest)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	say(w, []byte(`{"verified":true}`))
}

// check verifies the prepared signature and returns the digest that it is over.
func (b *bare) check() (string, error) {
	digest := sha256.Sum256(b.claims)
	if !ecdsa.VerifyASN1(&b.key.PublicKey, digest[:], b.signature) {
		return "", errors.New("a good signature does not verify")
	}
	return hex.EncodeToString(digest[:]), nil
}

func (b *bare) sign(digest []byte) ([]byte, error) { return ecdsa.SignASN1(rand.Reader, b.key, digest) }

func say(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// hashing makes password hashes on all cores for a while, and nothing else.
func hashing(ctx context.Context, window time.Duration) sample {
	var working sync.WaitGroup
	made := make([]int, runtime.GOMAXPROCS(0))
	began := time.Now()
	for i := range made {
		working.Go(func() {
			for time.Since(began) < window && ctx.Err() == nil {
				argon2.IDKey([]byte(memberPassword), []byte("sixteen bytes!!!"), argonTime, argonMemory, argonLanes, argonKey)
				made[i]++
			}
		})
	}
	working.Wait()
	s := sample{window: time.Since(began)}
	for _, n := range made {
		s.requests += n
	}
	return s
}
