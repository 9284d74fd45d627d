import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubeconfigOf, StartupError, type Kubeconfig } from '@apichain/chain/setup';
import { errorMessage, hasErrorCode, parseYaml } from '@apichain/meta';
import { issueClient } from '@apichain/serving/certificates';

const administrator = 'kubernetes-admin';

/** Whose kubeconfig is made. */
interface KubeconfigRequest {
  /** The name of the cluster and of the administrator's context. The context of another user is USER@CLUSTER. */
  readonly cluster: string;
  /** Undefined for the administrator. */
  readonly user?: string | undefined;
  readonly groups?: readonly string[];
  /** Default: the URL of the API server at the last start of the chain. */
  readonly server?: string | undefined;
}

/**
 * A kubeconfig for the chain of a data directory, with a new certificate for a user who is not the administrator. Throws StartupError when the
 * directory holds no chain.
 */
export async function kubeconfigOfChain(root: string, request: KubeconfigRequest): Promise<Kubeconfig> {
  const { cluster, user, groups = [] } = request;
  const pem = (name: string) => read(join(root, 'pki', name), root);
  const pair =
    user === undefined
      ? { certificate: pem('admin.crt'), key: pem('admin.key') }
      : await issueClient({ certificate: pem('ca.crt'), key: pem('ca.key') }, user, groups);
  const written = writtenCluster(root);
  const context = user === undefined ? cluster : `${user}@${cluster}`;
  return kubeconfigOf({
    server: request.server ?? written.server,
    ca: Buffer.from(written['certificate-authority-data'], 'base64').toString(),
    cert: pair.certificate,
    key: pair.key,
    user: user ?? administrator,
    // A merged file may have other clusters with a user of the same name, so the cluster is part of the user name.
    names: { cluster, context, user: `${user ?? administrator}@${cluster}` },
  });
}

function read(path: string, root: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw new StartupError(errorMessage(error));
    throw new StartupError(`--data-dir ${root} holds no chain: start one with apichain up`);
  }
}

/** How clients reached the API server after the last start of the chain, and how they verified it. */
function writtenCluster(root: string): Kubeconfig['clusters'][number]['cluster'] {
  const file = join(root, 'admin.kubeconfig');
  const [entry] = (parseYaml(read(file, root)) as Kubeconfig).clusters;
  if (entry === undefined) throw new StartupError(`${file} names no cluster`);
  return entry.cluster;
}
