import { createSecureContext } from 'node:tls';
import { FlagError, readPath, type FlagDefinition, type ParsedFlags } from '@apichain/apiserver-options';
import { errorMessage } from '@apichain/meta';
import { type FollowedFiles } from '@apichain/serving';
import { defaultKubeletOptions, Kubelets, type KubeletIdentity } from '@apichain/kinds-registry';

const section = 'Kubelets';

/** How to connect to the kubelets of nodes, for logs, streams into pods and nodes/proxy. */
export const kubeletFlags: readonly FlagDefinition[] = [
  {
    name: 'kubelet-certificate-authority',
    type: 'string',
    section,
    usage: 'File of the authorities of kubelet certificates. Without it these certificates are not verified.',
  },
  {
    name: 'kubelet-client-certificate',
    type: 'string',
    section,
    usage: 'File of the client certificate for kubelets.',
  },
  {
    name: 'kubelet-client-key',
    type: 'string',
    section,
    usage: 'Private key of --kubelet-client-certificate.',
  },
  {
    name: 'kubelet-preferred-address-types',
    type: 'strings',
    default: defaultKubeletOptions.addressTypes.join(','),
    section,
    usage: 'Address types of Nodes for connections to kubelets, the preferred one first.',
  },
  {
    name: 'kubelet-port',
    type: 'int',
    default: String(defaultKubeletOptions.port),
    section,
    usage: 'Port of kubelets whose Node does not name one.',
  },
];

const members = [
  ['ca', 'kubelet-certificate-authority'],
  ['cert', 'kubelet-client-certificate'],
  ['key', 'kubelet-client-key'],
] as const;

/** Connections to kubelets. Their certificates are reloaded when the files change. Throws FlagError. */
export function kubeletsOf(flags: ParsedFlags, files: FollowedFiles): Kubelets {
  const given = members.filter(([, flag]) => flags.string(flag) !== '');
  for (const [, flag] of given) readPath(flag, flags.string(flag));
  const options = {
    addressTypes: flags.strings('kubelet-preferred-address-types'),
    port: flags.number('kubelet-port'),
  };
  const identity = files.follow(
    given.map(([, flag]) => flags.string(flag)),
    (texts) => usable(Object.fromEntries(given.map(([member], index) => [member, texts[index] ?? '']))),
    (changed) => kubelets.reload(changed),
  );
  const kubelets = new Kubelets({ ...options, ...identity });
  return kubelets;
}

function usable(identity: KubeletIdentity): KubeletIdentity {
  try {
    createSecureContext(identity);
    return identity;
  } catch (error) {
    throw new FlagError(`--kubelet-client-certificate: ${errorMessage(error)}`);
  }
}
