import type { Node } from '@apichain/api/core/v1';
import type { Backend } from '@apichain/delegation';
import { newUnknownError } from '@apichain/meta';
import { serverVerification } from '@apichain/x509';
import https from 'node:https';

/** The CA and client certificate for connections to kubelets, in PEM. */
export interface KubeletIdentity {
  /** The CA of the kubelets' serving certificates; without it they are not verified. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

interface KubeletOptions extends KubeletIdentity {
  /** Types of node addresses, in order of preference. */
  readonly addressTypes: readonly string[];
  /** The port for nodes whose status does not name the port of their kubelet. */
  readonly port: number;
}

/** The defaults of the `--kubelet-*` flags. */
export const defaultKubeletOptions: KubeletOptions = {
  addressTypes: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
  port: 10_250,
};

/** Where a kubelet listens. */
interface KubeletAddress {
  readonly host: string;
  readonly port: number;
}

/** Connections to the kubelets of nodes. After k8s.io/kubernetes/pkg/kubelet/client. */
export class Kubelets {
  readonly #options: KubeletOptions;
  #agents: { readonly checked: https.Agent; readonly unchecked: https.Agent };

  constructor(options: KubeletOptions) {
    this.#options = options;
    this.#agents = agentsOf(options);
  }

  /** Uses another identity for new connections; existing connections are not affected. */
  reload(identity: KubeletIdentity): void {
    this.#agents = agentsOf(identity);
  }

  /** Throws an error without a reason for a node without a usable address. */
  addressOf(node: Node): KubeletAddress {
    const known = node.status?.addresses ?? [];
    const found = this.#options.addressTypes.flatMap((wanted) => known.filter(({ type }) => type === wanted))[0];
    if (found === undefined) {
      const shown = known.map(({ type, address }) => `{${type ?? ''} ${address ?? ''}}`).join(' ');
      throw newUnknownError(`no preferred addresses found; known addresses: [${shown}]`);
    }
    const port = node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
    return { host: found.address ?? '', port: port > 0 ? port : this.#options.port };
  }

  /** The backend for a request to a kubelet; `unchecked` = do not verify its certificate. */
  backend(address: KubeletAddress, path: string, unchecked = false): Backend {
    const { host, port } = address;
    const agent = unchecked ? this.#agents.unchecked : this.#agents.checked;
    return { protocol: 'https:', host, port, path, agent };
  }
}

function agentsOf({ ca, cert, key }: KubeletIdentity) {
  const own = { cert, key };
  const trust = ca === undefined ? { rejectUnauthorized: false } : { ca, ...serverVerification };
  return {
    checked: new https.Agent({ keepAlive: true, ...own, ...trust }),
    unchecked: new https.Agent({ keepAlive: true, ...own, rejectUnauthorized: false }),
  };
}
