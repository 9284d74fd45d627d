import type { FlagDefinition } from '@apichain/apiserver-options';

const authentication = 'Authentication';
const authorization = 'Authorization';
const admission = 'Admission';

/** `--kubeconfig`. Source: options/coreapi.go of k8s.io/apiserver 1.36. */
const coreApiFlags: readonly FlagDefinition[] = [
  {
    name: 'kubeconfig',
    type: 'string',
    section: 'Core API',
    usage: 'Kubeconfig of the core API server. Empty = that of the pod, with its service account.',
  },
];

/** Source: options/authentication.go of k8s.io/apiserver 1.36, DelegatingAuthenticationOptions. */
const delegatedAuthenticationFlags: readonly FlagDefinition[] = [
  {
    name: 'authentication-kubeconfig',
    type: 'string',
    section: authentication,
    usage:
      'Kubeconfig of the core API server, with the right to create tokenreviews.authentication.k8s.io. Empty = that of the pod, and outside of a pod --kubeconfig.',
  },
  {
    name: 'authentication-token-webhook-cache-ttl',
    type: 'duration',
    default: '10s',
    section: authentication,
    usage: 'How long users of tokens that the core API server authenticated are cached.',
  },
  {
    name: 'authentication-skip-lookup',
    type: 'bool',
    default: 'false',
    section: authentication,
    usage:
      'Do not read authorities of client certificates and the settings of front proxies from the ConfigMap kube-system/extension-apiserver-authentication where flags do not set them.',
  },
  {
    name: 'authentication-tolerate-lookup-failure',
    type: 'bool',
    default: 'false',
    section: authentication,
    usage:
      'Start although that ConfigMap cannot be read. Until it can be read, requests of front proxies may count as anonymous.',
  },
  {
    name: 'client-ca-file',
    type: 'string',
    section: authentication,
    usage:
      'Client certificates signed by one of the authorities in this file are authenticated with the identity in their common name.',
  },
  {
    name: 'requestheader-client-ca-file',
    type: 'string',
    section: authentication,
    usage:
      'Authorities of the client certificates of front proxies. With it, all settings of front proxies come from flags.',
  },
  {
    name: 'requestheader-allowed-names',
    type: 'strings',
    section: authentication,
    usage: 'Common names a front proxy may have; empty = any signed by --requestheader-client-ca-file.',
  },
  {
    name: 'requestheader-username-headers',
    type: 'strings',
    default: 'x-remote-user',
    section: authentication,
    usage: 'Request headers to inspect for user names.',
  },
  {
    name: 'requestheader-uid-headers',
    type: 'strings',
    section: authentication,
    usage: 'Request headers to inspect for user uids. X-Remote-Uid is common.',
  },
  {
    name: 'requestheader-group-headers',
    type: 'strings',
    default: 'x-remote-group',
    section: authentication,
    usage: 'Request headers to inspect for groups.',
  },
  {
    name: 'requestheader-extra-headers-prefix',
    type: 'strings',
    default: 'x-remote-extra-',
    section: authentication,
    usage: 'Prefixes of request headers to inspect for extra attributes.',
  },
];

/** Source: options/authorization.go of k8s.io/apiserver 1.36, DelegatingAuthorizationOptions. */
const delegatedAuthorizationFlags: readonly FlagDefinition[] = [
  {
    name: 'authorization-kubeconfig',
    type: 'string',
    section: authorization,
    usage:
      'Kubeconfig of the core API server, with the right to create subjectaccessreviews.authorization.k8s.io. Empty = that of the pod, and outside of a pod --kubeconfig.',
  },
  {
    name: 'authorization-webhook-cache-authorized-ttl',
    type: 'duration',
    default: '10s',
    section: authorization,
    usage: 'How long allowed decisions of the core API server are cached.',
  },
  {
    name: 'authorization-webhook-cache-unauthorized-ttl',
    type: 'duration',
    default: '10s',
    section: authorization,
    usage: 'How long denied decisions of the core API server are cached.',
  },
  {
    name: 'authorization-always-allow-paths',
    type: 'strings',
    default: '/healthz,/readyz,/livez',
    section: authorization,
    usage: 'Paths that every user may read without asking the core API server. A trailing * matches any rest.',
  },
];

/** Source: options/admission.go of k8s.io/apiserver 1.36. */
const extensionAdmissionFlags: readonly FlagDefinition[] = [
  {
    name: 'enable-admission-plugins',
    type: 'strings',
    section: admission,
    usage: 'Admission plugins to enable in addition to the default ones.',
  },
  {
    name: 'disable-admission-plugins',
    type: 'strings',
    section: admission,
    usage: 'Admission plugins to disable although they are on by default.',
  },
  {
    name: 'admission-control-config-file',
    type: 'string',
    section: admission,
    usage: 'File of an AdmissionConfiguration, with the configuration of admission plugins.',
  },
];

/** All flags of the connection to the core API. */
export const delegationFlags: readonly FlagDefinition[] = [
  ...coreApiFlags,
  ...delegatedAuthenticationFlags,
  ...delegatedAuthorizationFlags,
  ...extensionAdmissionFlags,
];
