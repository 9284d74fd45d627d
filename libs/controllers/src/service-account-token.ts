import type { Secret } from '@apichain/api/core/v1';
import { type Informer, objectKey } from '@apichain/client';
import { type KubeObject, isStatusError, isNamespaceGoing } from '@apichain/meta';
import { type ControllerContext, type Running } from './context.ts';
import { controllerParts } from './controller-parts.ts';
import { legacyToken } from './legacy-token.ts';

const accountsOf = { group: '', version: 'v1', resource: 'serviceaccounts' };
const secretsOf = { group: '', version: 'v1', resource: 'secrets' };
const secretType = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';

/**
 * Deletes token Secrets whose ServiceAccount is gone. Adds a token to the others when there is a key to sign tokens with.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#token-controller
 */
export function serviceAccountTokens(context: ControllerContext): Running {
  const { enqueue, ownInformer, metadataInformer, run } = controllerParts(context, 'serviceaccount-token-controller');
  const accounts = metadataInformer(accountsOf);
  const secrets = ownInformer({ resource: secretsOf, fieldSelector: `type=${secretType}`, transform: trimSecret });
  const enqueueSecretsOf = (account: KubeObject) => {
    for (const secret of secrets.list()) if (accountKey(secret) === objectKey(account)) enqueue(secret);
  };
  accounts.addHandlers({
    onDelete: enqueueSecretsOf,
    onUpdate: (account, old) => {
      if (account.metadata.uid !== old.metadata.uid) enqueueSecretsOf(account);
    },
  });
  secrets.addHandlers({ onAdd: enqueue, onUpdate: enqueue });

  const tokens = new TokenSecrets(context, accounts, secrets);
  return run((key) => tokens.reconcile(key));
}

/** Reconciles token Secrets. */
class TokenSecrets {
  readonly #context: ControllerContext;
  readonly #accounts: Informer;
  readonly #secrets: Informer;

  constructor(context: ControllerContext, accounts: Informer, secrets: Informer) {
    this.#context = context;
    this.#accounts = accounts;
    this.#secrets = secrets;
  }

  async reconcile(key: string): Promise<void> {
    const secret = this.#secrets.get(key);
    if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return;
    const known = this.#accounts.get(accountKey(secret));
    const account = known !== undefined && belongsTo(secret, known) ? known : await this.#liveAccount(secret);
    if (account === undefined) await this.#remove(secret);
    else if (!this.#isComplete(secret, account)) await this.#complete(secret, account);
  }

  /** Reads the ServiceAccount from the server, because a watch may not have reported an existing object yet. */
  async #liveAccount({ metadata: { namespace = '', annotations = {} } }: KubeObject) {
    const name = annotations[nameAnnotation] ?? '';
    if (name === '') return undefined;
    try {
      const account = await this.#context.client.get({ ...accountsOf, namespace }, name, undefined, {
        metadataOnly: true,
      });
      const uid = annotations[uidAnnotation] ?? '';
      return uid === '' || uid === account.metadata.uid ? account : undefined;
    } catch (error) {
      if (isStatusError(error) && error.code === 404) return undefined;
      throw error;
    }
  }

  async #remove({ metadata: { namespace = '', name = '', uid } }: KubeObject): Promise<void> {
    try {
      await this.#context.client.delete({ ...secretsOf, namespace }, name, { preconditions: { uid } });
    } catch (error) {
      if (!isStatusError(error, 'Conflict') && !isStatusError(error, 'NotFound')) throw error;
    }
  }

  #isComplete({ metadata, data }: KeptSecret, account: KubeObject): boolean {
    return (
      metadata.annotations?.[uidAnnotation] === account.metadata.uid &&
      data?.namespace === true &&
      (data?.['ca.crt'] === true || this.#context.rootCa === '') &&
      (data?.token === true || this.#context.tokenKey === undefined)
    );
  }

  async #complete({ metadata }: KubeObject, account: KubeObject): Promise<void> {
    const { namespace = '', name = '' } = metadata;
    const ref = { ...secretsOf, namespace };
    try {
      const live = await this.#context.client.get(ref, name);
      if (live.metadata.uid !== metadata.uid) return;
      await this.#context.client.update(ref, this.#completed(live, account));
    } catch (error) {
      if (!isNamespaceGoing(error)) throw error;
    }
  }

  #completed(secret: Secret, account: KubeObject): Secret {
    const { namespace = '', name = '' } = secret.metadata;
    const uid = account.metadata.uid ?? '';
    const data = { ...secret.data };
    const fill = (field: string, text: () => string) => {
      if ((data[field] ?? '') === '') data[field] = Buffer.from(text()).toString('base64');
    };
    const { rootCa, tokenKey } = this.#context;
    if (rootCa !== '') fill('ca.crt', () => rootCa);
    fill('namespace', () => namespace);
    if (tokenKey !== undefined) {
      const serviceAccount = account.metadata.name ?? '';
      fill('token', () => legacyToken({ namespace, serviceAccount, serviceAccountUid: uid, secret: name }, tokenKey));
    }
    const annotations = { ...secret.metadata.annotations, [uidAnnotation]: uid };
    return { ...secret, metadata: { ...secret.metadata, annotations }, data };
  }
}

function accountKey({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.annotations?.[nameAnnotation] ?? ''}`;
}

function belongsTo(secret: KubeObject, account: KubeObject): boolean {
  const uid = secret.metadata.annotations?.[uidAnnotation] ?? '';
  return uid === '' || uid === account.metadata.uid;
}

/** The fields of a Secret that the informer keeps. */
interface KeptSecret extends KubeObject {
  data?: Readonly<Record<string, boolean>>;
}

/** Keeps only the keys of the data, so that no token stays in memory. */
function trimSecret(secret: Secret): KeptSecret {
  const { apiVersion, kind, metadata } = secret;
  const { managedFields: _, ...kept } = metadata;
  const data = Object.entries(secret.data ?? {});
  const isThere = Object.fromEntries(data.map(([field, value]) => [field, value !== '']));
  return { apiVersion, kind, metadata: kept, data: isThere };
}
