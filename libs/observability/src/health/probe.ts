/** The probes a check may be part of: https://kubernetes.io/docs/reference/using-api/health-checks/ */
export type Probe = 'healthz' | 'livez' | 'readyz';
