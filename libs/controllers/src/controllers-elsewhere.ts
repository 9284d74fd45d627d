/** Each controller with its older alias, if it has one. */
const names = `
  bootstrap-signer-controller bootstrapsigner
  cloud-node-lifecycle-controller cloud-node-lifecycle
  device-taint-eviction-controller
  kube-apiserver-serving-clustertrustbundle-publisher-controller
  legacy-serviceaccount-token-cleaner-controller legacy-service-account-token-cleaner
  node-ipam-controller nodeipam
  node-route-controller route
  podcertificaterequest-cleaner-controller
  resourceclaim-controller resource-claim-controller
  selinux-warning-controller
  service-cidr-controller
  service-lb-controller service
  storage-version-migrator-controller
  storageversion-garbage-collector-controller storage-version-gc
  validatingadmissionpolicy-status-controller
`;

/**
 * The names of kube-controller-manager's controllers that are not implemented here.
 * Source: https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/
 */
export const controllersElsewhere: ReadonlySet<string> = new Set(names.split(/\s+/).filter((name) => name !== ''));
