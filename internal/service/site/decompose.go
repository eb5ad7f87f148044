package site

import (
	"math"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// decompose reads the record where it differs from what the model makes of it. What cannot be read as a value shows as drift,
// and so does another Secret in the record: it would be no change of how hosts are reached.
func decompose(live composite.Live, prior Model) Model {
	record, ok := composite.As[core.ConfigMap](live, core.ConfigMapKind, recordName(prior.Name.ValueString()))
	if !ok {
		return prior
	}
	m, was := prior, recordOf(prior)
	moved := func(key string) bool {
		before, had := was[key]
		now, has := record.Data[key]
		return before != now || had != has
	}
	text := func(key string) types.String {
		if v, has := record.Data[key]; has {
			return types.StringValue(v)
		}
		return types.StringNull()
	}
	if moved(recordRegion) {
		m.Region = text(recordRegion)
	}
	if moved(recordZone) {
		m.Zone = text(recordZone)
	}
	if moved(recordLatitude) || moved(recordLongitude) {
		m.Location = locationOf(record.Data, prior.Location)
	}
	ssh, _ := m.SSH.Get()
	if v := record.Data[recordUser]; moved(recordUser) && v != "" {
		ssh.User = types.StringValue(v)
	}
	if v, err := strconv.ParseInt(record.Data[recordPort], 10, 32); moved(recordPort) && err == nil {
		ssh.Port = types.Int64Value(v)
	}
	if v, err := strconv.ParseBool(record.Data[recordSudo]); moved(recordSudo) && err == nil {
		ssh.UseSudo = types.BoolValue(v)
	}
	if moved(recordUser) || moved(recordPort) || moved(recordSudo) {
		m.SSH = tf.ObjectOf(ssh)
	}
	return m
}

// imported reads everything from the record. A Secret without a record is a site that somebody made by hand.
func imported(live composite.Live, prior Model) Model {
	m := decompose(live, prior)
	ssh, _ := m.SSH.Get()
	if record, ok := composite.As[core.ConfigMap](live, core.ConfigMapKind, recordName(m.Name.ValueString())); ok {
		if secret := record.Data[recordSecret]; secret != "" && record.Data[recordMade] == strconv.FormatBool(false) {
			ssh.Secret = types.StringValue(secret)
		}
		if version, err := strconv.ParseInt(record.Data[recordKeyVersion], 10, 64); err == nil {
			ssh.PrivateKeyVersion = types.Int64Value(version)
		}
	}
	m.SSH = tf.ObjectOf(ssh)
	return m
}

func locationOf(record map[string]string, prior tf.Object[Location]) tf.Object[Location] {
	latitude, there := record[recordLatitude]
	longitude, also := record[recordLongitude]
	if !there && !also {
		return tf.NullObject[Location]()
	}
	north, err := strconv.ParseFloat(latitude, 64)
	east, errEast := strconv.ParseFloat(longitude, 64)
	if err != nil || errEast != nil || !(math.Abs(north) <= 90) || !(math.Abs(east) <= 180) { // no number is not within anything
		return prior
	}
	return tf.ObjectOf(Location{Latitude: types.Float64Value(north), Longitude: types.Float64Value(east)})
}
