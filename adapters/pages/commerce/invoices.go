package commerce

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"

	"gatehouse.internal/adapters/client"
)

// invoicePDF serves the PDF of an invoice that the person may read.
func (v *visit) invoicePDF() error {
	got, err := v.Me().BillingInvoiceGet(v.Context(), client.BillingInvoiceGetParams{InvoiceID: v.Request.PathValue("id"), IncludePDF: new(true)})
	if err != nil {
		return err
	}
	content, err := base64.StdEncoding.DecodeString(got.PDF)
	if err != nil {
		return fmt.Errorf("read the PDF of an invoice: %w", err)
	}
	return v.download("invoice-"+v.Request.PathValue("id")+".pdf", "application/pdf", content)
}

// download serves a file as an attachment.
func (v *visit) download(name, kind string, content []byte) error {
	if err := v.Save(); err != nil {
		return err
	}
	header := v.Writer.Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Disposition", "attachment; filename="+strconv.Quote(name))
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Length", strconv.Itoa(len(content)))
	v.Writer.WriteHeader(http.StatusOK)
	_, _ = v.Writer.Write(content) // the client may have disconnected
	return nil
}
