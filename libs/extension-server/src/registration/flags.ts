import type { FlagDefinition } from '@apichain/apiserver-options';

const section = 'Registration';

/** The flags with which a server registers itself with its core API. `cert-dir` replaces the ignored flag of the same name. */
export const registrationFlags: readonly FlagDefinition[] = [
  {
    name: 'register',
    type: 'bool',
    section,
    usage:
      'Register the group-versions of this server with the core API before it becomes ready: APIServices, a Service, RBAC and, without --tls-cert-file, a serving certificate.',
  },
  {
    name: 'unregister-on-exit',
    type: 'bool',
    section,
    usage: 'With --register: delete at the end what was registered. For servers with a single replica.',
  },
  {
    name: 'register-service',
    type: 'string',
    section,
    usage:
      'The Service in front of this server, as NAMESPACE/NAME[:PORT]. Needed by servers with several replicas. Without it, a Service is made for --register-address or, if the core API serves no Services, an annotation.',
  },
  {
    name: 'register-address',
    type: 'string',
    section,
    usage:
      'HOST:PORT at which the core API reaches this server. Default: the address and port it listens on or, if it listens on all addresses, the one from which it connects to the core API.',
  },
  {
    name: 'register-namespace',
    type: 'string',
    section,
    usage: "The namespace of the Service that is made. Default: that of the kubeconfig's context or of the pod.",
  },
  {
    name: 'register-user',
    type: 'string',
    section,
    usage:
      'The user as which this server calls the core API, who gets the rights of an extension server; that of a ServiceAccount is system:serviceaccount:NAMESPACE:NAME. Default: the user of the kubeconfig.',
  },
  {
    name: 'register-rbac',
    type: 'bool',
    default: 'true',
    section,
    usage: 'Make the role bindings of an extension server. The user of the kubeconfig needs the right to do so.',
  },
  {
    name: 'register-force',
    type: 'bool',
    section,
    usage: 'Take over objects of the same names that others made.',
  },
  {
    name: 'register-ca-file',
    type: 'string',
    section,
    usage: 'With --tls-cert-file: the authorities of this certificate, for the APIServices.',
  },
  {
    name: 'cert-dir',
    type: 'string',
    section: 'Secure serving',
    usage:
      'With --register and without --tls-cert-file: the directory of the serving certificate that is made, and of its authority. Default: a directory of the server below --data-dir or else below the state directory of the user.',
  },
  {
    name: 'cert-secret',
    type: 'bool',
    section,
    usage:
      'With --register and without --tls-cert-file: keep the authority in the Secret NAME-serving-ca instead of --cert-dir, so that all replicas use the same one.',
  },
];
