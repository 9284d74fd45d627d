import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubeconfig } from '@apichain/chain/setup';
import { certificateFiles, readCertificatePair } from '@apichain/serving/certificate-files';
import { issueClient, type CertificatePair } from '@apichain/serving/certificates';

/** A configuration for `KubeConfig.loadFromOptions` of @kubernetes/client-node. */
export interface ClientConfig {
  readonly clusters: { readonly name: string; readonly server: string; readonly caData: string }[];
  /** Certificate and key are base64 of PEM, as in a kubeconfig. */
  readonly users: { readonly name: string; readonly certData: string; readonly keyData: string }[];
  readonly contexts: { readonly name: string; readonly cluster: string; readonly user: string }[];
  readonly currentContext: string;
}

/** A user to create. */
export interface UserOptions {
  readonly name: string;
  /** Members of `system:masters` have all rights. */
  readonly groups?: readonly string[];
}

/** A user with a client certificate for the chain. */
export interface TestUser {
  readonly name: string;
  /** The kubeconfig as text, with all certificates embedded. */
  readonly kubeconfig: string;
  /** The same kubeconfig as a file for other programs. Removed when the chain stops. */
  readonly kubeconfigFile: string;
  readonly config: ClientConfig;
  /** PEM texts. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

const clusterName = 'apichain';
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Creates the users of one chain. */
export class Users {
  readonly #url: string;
  readonly #directory: string;
  #made = 0;

  /** `directory` contains the certificates in `pki`. The kubeconfig files are written to it. */
  constructor(url: string, directory: string) {
    this.#url = url;
    this.#directory = directory;
  }

  /** The certificate authority that issues client and serving certificates. */
  get authority(): CertificatePair {
    return this.#pair('ca');
  }

  /** PEM text: the certificate authority of the client certificate that the chain uses to call an extension API server. */
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
    return readCertificatePair(certificateFiles(join(this.#directory, 'pki'), name));
  }

  #user(name: string, pair: CertificatePair): TestUser {
    const file = join(this.#directory, `user-${this.#made++}.kubeconfig`);
    return userOf({ url: this.#url, name, file }, { ca: this.authority.certificate, ...pair });
  }
}

/** The user of a client certificate. Writes the kubeconfig to `file`. */
export function userOf(
  { url, name, file }: { readonly url: string; readonly name: string; readonly file: string },
  { ca, certificate, key }: CertificatePair & { readonly ca: string },
): TestUser {
  const text = kubeconfig({ server: url, ca, cert: certificate, key, user: name });
  writeFileSync(file, text, { mode: 0o600 });
  return {
    name,
    kubeconfig: text,
    kubeconfigFile: file,
    config: {
      clusters: [{ name: clusterName, server: url, caData: base64(ca) }],
      users: [{ name, certData: base64(certificate), keyData: base64(key) }],
      contexts: [{ name: clusterName, cluster: clusterName, user: name }],
      currentContext: clusterName,
    },
    ca,
    cert: certificate,
    key,
  };
}
