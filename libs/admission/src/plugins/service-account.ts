import type { ServiceAccount as Account } from '@apichain/api/core/v1';
import type { PodSpec } from '@apichain/api/core/v1';
import { newNotFound, type KubeObject } from '@apichain/meta';
import { forbidden } from '../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import { isAbout, type AdmissionAttributes, type AdmissionOperation, type AdmissionPlugin } from '../plugin.ts';
import { isPod, podSpec } from '../pod-fields.ts';
import { ephemeralReferenceProblem, mirrorPodProblem, secretReferenceProblem } from './service-account-secrets.ts';
import { mountToken, wantsToken } from './service-account-token.ts';

const defaultName = 'default';
/** A controller creates the default account after the namespace, so it may not exist yet. How long to wait for it, in milliseconds. */
const defaultPatienceMs = 1_500;
const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

const isMirrorPod = (pod: KubeObject) => pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;

/**
 * Sets the service account of pods and mounts its credentials. Rejects references to
 * secrets that the account does not list, where the account enforces its list.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#serviceaccount
 */
export class ServiceAccount implements AdmissionPlugin {
  readonly name = 'ServiceAccount';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    if (!isPod(attributes)) return;
    const { operation, object } = attributes;
    if (operation !== 'CREATE' || object === undefined) return;
    if (!isMirrorPod(object)) await this.#complete(attributes, (object.spec ??= {}));
    await this.validate(attributes);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (!isAbout(attributes, 'pods') || attributes.object === undefined) return;
    const { operation, subresource, object } = attributes;
    const isEphemeral = operation === 'UPDATE' && subresource === 'ephemeralcontainers';
    if (!isEphemeral && !(operation === 'CREATE' && subresource === '')) return;
    const spec = podSpec(object);
    const problem =
      !isEphemeral && isMirrorPod(object)
        ? mirrorPodProblem(spec)
        : await this.#secretProblem(attributes, spec, isEphemeral);
    if (problem !== undefined) throw forbidden(attributes, problem);
  }

  async #complete(attributes: AdmissionAttributes, spec: PodSpec): Promise<void> {
    if ((spec.serviceAccountName ?? '') === '') spec.serviceAccountName = defaultName;
    spec.serviceAccount = spec.serviceAccountName;
    const account = await this.#account(attributes, spec.serviceAccountName ?? '');
    if (wantsToken(account, spec)) mountToken(spec);
    const pulls = account.imagePullSecrets ?? [];
    if ((spec.imagePullSecrets ?? []).length === 0 && pulls.length > 0) {
      spec.imagePullSecrets = pulls.map(({ name }) => ({ name }));
    }
  }

  async #secretProblem(
    attributes: AdmissionAttributes,
    spec: PodSpec,
    ephemeral: boolean,
  ): Promise<string | undefined> {
    const name = spec.serviceAccountName ?? '';
    if (name === '') {
      if (ephemeral) return undefined;
      return `no service account specified for pod ${attributes.namespace}/${attributes.name}`;
    }
    const account = await this.#account(attributes, name);
    const annotation = account.metadata.annotations?.['kubernetes.io/enforce-mountable-secrets'];
    if (annotation === undefined || !trueTexts.has(annotation)) return undefined;
    return ephemeral ? ephemeralReferenceProblem(account, spec) : secretReferenceProblem(account, spec);
  }

  async #account(attributes: AdmissionAttributes, name: string): Promise<Account> {
    const { namespace } = attributes;
    const { serviceAccounts } = lookedUp;
    const cached = await this.#lookup.get(serviceAccounts, namespace, name);
    if (cached !== undefined) return cached;
    const found =
      name === defaultName
        ? await this.#lookup.created(serviceAccounts, namespace, name, AbortSignal.timeout(defaultPatienceMs))
        : await this.#lookup.live(serviceAccounts, namespace, name);
    if (found !== undefined) return found;
    const { message } = newNotFound({ group: '', resource: 'serviceaccount' }, name);
    throw forbidden(attributes, `error looking up service account ${namespace}/${name}: ${message}`);
  }
}
