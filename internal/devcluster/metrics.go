package devcluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/rest"
)

// Metrics tells how many requests the API server has answered since it started, by all of its clients. Keys are as
// "LIST queues.scheduling.run.ai" or "APPLY clusters.cluster.x-k8s.io/status"; dry runs are counted apart, with
// " (dry run)" behind the key.
func (c *Cluster) Metrics(ctx context.Context) (map[string]int, error) {
	return RequestCounts(ctx, c.RESTConfig())
}

// RequestCounts is Metrics of any API server, such as a hosted one.
func RequestCounts(ctx context.Context, config *rest.Config) (map[string]int, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close() //nolint:errcheck // read to the end, or given up
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("metrics of %s: %s", config.Host, response.Status)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return nil, fmt.Errorf("metrics of %s: %w", config.Host, err)
	}
	family := families["apiserver_request_total"]
	if family == nil {
		return nil, errors.New("metrics: the API server counts no requests")
	}
	counts := map[string]int{}
	for _, metric := range family.GetMetric() {
		counts[requestKey(metric.GetLabel())] += int(metric.GetCounter().GetValue())
	}
	return counts, nil
}

func requestKey(pairs []*dto.LabelPair) string {
	labels := map[string]string{}
	for _, pair := range pairs {
		labels[pair.GetName()] = pair.GetValue()
	}
	if labels["resource"] == "" { // not about objects: the path is in here
		return labels["verb"] + " " + labels["subresource"]
	}
	var key strings.Builder
	key.WriteString(labels["verb"] + " " + labels["resource"])
	if group := labels["group"]; group != "" {
		key.WriteString("." + group)
	}
	if subresource := labels["subresource"]; subresource != "" {
		key.WriteString("/" + subresource)
	}
	if labels["dry_run"] != "" {
		key.WriteString(" (dry run)")
	}
	return key.String()
}
