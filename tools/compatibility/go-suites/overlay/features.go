package external

import (
	"fmt"
	"sort"

	"k8s.io/component-base/featuregate"
)

// FeatureFlags are the feature gates that differ from their defaults, as one flag, or none.
func FeatureFlags(gate featuregate.MutableVersionedFeatureGate) []string {
	flags := []string{}
	for feature, spec := range gate.GetAll() {
		if feature == "AllAlpha" || feature == "AllBeta" || spec.LockToDefault {
			continue
		}
		if enabled := gate.Enabled(feature); enabled != spec.Default {
			flags = append(flags, fmt.Sprintf("--feature-gates=%s=%t", feature, enabled))
		}
	}
	sort.Strings(flags)
	return flags
}
