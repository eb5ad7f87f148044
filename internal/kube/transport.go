package kube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"strings"
)

// fail words an attempt that brought no whole answer.
func (c *Cluster) fail(ctx context.Context, r request, err error) *failure {
	e := &Error{Cluster: c.Describe(), Object: r.about()}
	f := &failure{err: e}
	if ctx.Err() != nil {
		over := ended(ctx, "before the API server answered")
		e.Reason, e.Message, e.Cause = over.Reason, over.Message, over.Cause
		return f
	}
	var plugin *pluginError
	if errors.As(err, &plugin) {
		e.Reason, e.Message, e.Cause = ReasonUnauthorized, plugin.Error(), plugin
		return f
	}
	e.Reason, f.link, e.link = ReasonOffline, true, true
	var location *url.Error
	if errors.As(err, &location) {
		err = location.Err // without the URL, which is long and which Cluster and Object say better
	}
	if errors.Is(err, errRedirect) {
		e.Message = "the address redirects to another one, which is not followed since it would be given the credentials. Configure the final address"
		return f
	}
	if message, reason := tlsProblem(err); message != "" {
		e.Reason, e.Message = reason, message
		return f
	}
	f.transient, e.transient, e.Cause = true, true, err
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		f.untouched = true
		e.Message = "the name " + dns.Name + " does not resolve: " + dns.Err + ". Check the address, or wait until its DNS record is there"
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect"):
		f.untouched = true
		e.Message = "cannot be reached: " + err.Error() + ". Check that it runs, that the address is right and that the network lets you through"
	case errors.Is(err, context.DeadlineExceeded):
		e.Message = "did not answer within " + c.pool.timing.attempt.String()
	default:
		e.Message = "the connection broke before the whole answer was here: " + err.Error()
	}
	return f
}

// tlsProblem words what is wrong with certificates, "" if that is not it. None of it passes by itself.
func tlsProblem(err error) (string, Reason) {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	text := err.Error()
	switch {
	case errors.As(err, &hostname):
		return "its certificate is for another name: " + hostname.Error() + ". Set tls_server_name if the certificate is the right one", ReasonOffline
	case errors.As(err, &authority):
		return "its certificate is signed by an authority that is not trusted here. Set the CA certificate that belongs to this cluster; " +
			"if that was right before, another cluster may answer at this address", ReasonOffline
	case errors.As(err, &invalid), errors.As(err, &verification):
		return "its certificate is not valid: " + text, ReasonOffline
	case errors.As(err, &alert), strings.Contains(text, "remote error: tls:"):
		return "refused the TLS connection, most likely because of the client certificate (expired, or of another cluster): " + text, ReasonUnauthorized
	case errors.As(err, &record), strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return "what answers there does not speak TLS. Check the address and port", ReasonOffline
	}
	return "", ""
}
