import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubeconfig } from '@apichain/chain/setup';
import { issueClient, type CertificatePair } from '@apichain/serving/certificates';

/** A configuration for `KubeConfig.loadFromOptions` of @kubernetes/client-node. */
export interface ClientConfig {
  readonly clusters: { readonly name: string; readonly server: string; readonly caData: string }[];
  /** Certificate and key are base64 of PEM, as in a kubeconfig. */
  readonly users: { readonly name: string; readonly certData: string; readonly keyData: string }[];
  readonly contexts: { readonly name: string; readonly cluster: string; readonly user: string }[];
  readonly currentContext: string;
}

/** A user to be made. */
export interface UserOptions {
  readonly name: string;
  /** `system:masters` may do everything. */
  readonly groups?: readonly string[];
}

/** Somebody who can reach the chain with a client certificate. */
export interface TestUser {
  readonly name: string;
  /** The text, with all certificates in it. */
  readonly kubeconfig: string;
  /** The same as a file, for programs; removed when the chain stops. */
  readonly kubeconfigFile: string;
  readonly config: ClientConfig;
  /** PEM texts. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

const clusterName = 'apichain';
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Makes users of one chain. */
export class Users {
  readonly #url: string;
  readonly #directory: string;
  #made = 0;

  /** `directory` has the certificates in `pki` and gets the kubeconfig files. */
  constructor(url: string, directory: string) {
    this.#url = url;
    this.#directory = directory;
  }

  /** What issues the certificates of clients and servers. */
  get authority(): CertificatePair {
    return this.#pair('ca');
  }

  /** PEM: of whom the chain is when it calls an extension API server. */
  get frontProxyCa(): string {
    return this.#pair('front-proxy-ca').certificate;
  }

  admin(): TestUser {
    return this.#user('kubernetes-admin', this.#pair('admin'));
  }

  async add({ name, groups = [] }: UserOptions): Promise<TestUser> {
    return this.#user(name, await issueClient(this.authority, name, groups));
  }

  #pair(name: string): CertificatePair {
    const read = (file: string) => readFileSync(join(this.#directory, 'pki', file), 'utf8');
    return { certificate: read(`${name}.crt`), key: read(`${name}.key`) };
  }

  #user(name: string, { certificate, key }: CertificatePair): TestUser {
    const ca = this.authority.certificate;
    const text = kubeconfig({ server: this.#url, ca, cert: certificate, key, user: name });
    const file = join(this.#directory, `user-${this.#made++}.kubeconfig`);
    writeFileSync(file, text, { mode: 0o600 });
    return {
      name,
      kubeconfig: text,
      kubeconfigFile: file,
      config: {
        clusters: [{ name: clusterName, server: this.#url, caData: base64(ca) }],
        users: [{ name, certData: base64(certificate), keyData: base64(key) }],
        contexts: [{ name: clusterName, cluster: clusterName, user: name }],
        currentContext: clusterName,
      },
      ca,
      cert: certificate,
      key,
    };
  }
}
