import { setTimeout as delay } from 'node:timers/promises';
import type { RestClient } from '@apichain/client';
import { joinHostPort } from '@apichain/go-text';
import { deepEqual, isStatusError, type KubeObject, record, records } from '@apichain/meta';
import { refusesExternalNames, waitUntilAvailable, type Availability } from './availability.ts';
import { discoveredRevision } from './discovered-revision.ts';
import { identityOf } from './identity.ts';
import {
  checkServerName,
  fieldManager,
  isRegisteredFor,
  deleteObject,
  registeredObjects,
  describeObject,
  resourceOf,
} from './registered-objects.ts';
import { registrationObjects, type RegistrationContent } from './manifests.ts';
import { callError, RegistrationError } from './registration-error.ts';
import { canBeEndpoint, routingTo, type AddressTarget, type RegistrationTarget, type ServiceTarget } from './target.ts';

/** Gets one line for each thing that was done or that the operator should know. */
export type Report = (line: string) => void;

/** The options of `register`. */
export interface RegisterOptions extends Omit<RegistrationContent, 'user'> {
  /** A client of the core API. */
  readonly client: RestClient;
  /** The user who gets the rights of an extension server. Default: the user of `client`; false = no rights are given to anyone. */
  readonly user?: string | false;
  /** Takes over objects of the same names that others made. */
  readonly force?: boolean;
  /** What precedes the names of flags in messages, e.g. `register-`. */
  readonly flagPrefix?: string;
  readonly report: Report;
}

/** How long to wait until the API server reaches the server, which may start later. */
const availabilityTimeoutMs = 5000;
/** The time in which an API server notices that a Service or an APIService has changed. */
const noticeMs = 1000;

/**
 * Registers a server's group-versions with a core API, or brings a registration up to date. APIServices of an earlier registration of the same
 * server for other group-versions are deleted. Waits some seconds until the APIServices are available, and reports whether they are.
 * Throws RegistrationError when the API server refuses an object or does not respond, or when an object of the same name was made by
 * others. Nothing is changed in the last case.
 *
 * Whether the API server accepts an ExternalName Service only shows when it tries to use it. If it does not, an IP address is registered as an
 * EndpointSlice instead, and stays so in later registrations.
 */
export async function register(options: RegisterOptions): Promise<void> {
  const { server, report } = options;
  checkServerName(server);
  const content = await registrationContent({ ...options, revision: await revisionOf(options) });
  const target = await sameRouting(options, content.target);
  const availability = await applyAndWait(options, { ...content, target });
  if (!availability.some(refusesExternalNames)) return;
  const ofAddress = 'address' in target ? target.address : undefined;
  if (ofAddress === undefined || !canBeEndpoint(ofAddress.host)) {
    report(
      'note: with --enable-aggregator-routing, the API server reaches only Services with endpoints: IP addresses other than loopback addresses, or pods',
    );
    return;
  }
  report('note: the API server runs with --enable-aggregator-routing: the address is registered as an endpoint');
  await applyAndWait(options, { ...content, target: { address: { ...ofAddress, routing: 'EndpointSlice' } } });
}

/**
 * The content of a registration as this API server needs it: an address goes into an annotation if it serves no Services, and the default of the
 * user who gets rights is looked up. Throws RegistrationError.
 */
export async function registrationContent(
  options: Pick<RegisterOptions, 'client' | 'user' | 'report'> & Omit<RegistrationContent, 'user'>,
): Promise<RegistrationContent> {
  const { client, user, report, server, groupVersions, caBundle, revision } = options;
  const target = await reachableTarget(options);
  const content = { server, groupVersions, target, caBundle, revision };
  if (user === false) return content;
  if (user !== undefined) return { ...content, user };
  const identity = await identityOf(client);
  if (!identity.isAllPowerful) return { ...content, user: identity.user };
  report(`no role bindings: ${identity.user} may do everything as a member of system:masters`);
  return content;
}

/** The target. An address goes into an annotation if the API server serves no Services. */
async function reachableTarget({
  client,
  target,
  report,
}: Pick<RegisterOptions, 'client' | 'target' | 'report'>): Promise<RegistrationTarget> {
  if (!('address' in target) || (await servesServices(client))) return target;
  const { host, port } = target.address;
  report(`no Service: the API server serves none and takes ${joinHostPort(host, port)} from an annotation`);
  return { address: { ...target.address, routing: 'annotation' } };
}

/** The target with the kind of routing that an earlier registration has found to work. */
async function sameRouting(options: RegisterOptions, target: RegistrationTarget): Promise<RegistrationTarget> {
  if (!('address' in target)) return target;
  const { host, namespace, routing } = target.address;
  if (routing === 'annotation' || !canBeEndpoint(host)) return target;
  const service = await findService(options.client, { namespace, name: options.server });
  const hasEndpoints = service !== undefined && isRegisteredFor(options.server, service) && !isExternalName(service);
  const address: AddressTarget = hasEndpoints ? { ...target.address, routing: 'EndpointSlice' } : target.address;
  return { address };
}

/** The hash of the server's resources: that of the options or, if the server responds already, that of its discovery. */
async function revisionOf({ client, revision, groupVersions }: RegisterOptions): Promise<string | undefined> {
  if (revision !== undefined) return revision;
  try {
    return await discoveredRevision(client, groupVersions);
  } catch (error) {
    throw callError('cannot read the discovery of the server', error);
  }
}

async function applyAndWait(options: RegisterOptions, content: RegistrationContent): Promise<Availability[]> {
  const { client, report } = options;
  const objects = registrationObjects(content);
  const present = await Promise.all(objects.map((object) => withAdvice(options, object, find(client, object))));
  for (const object of present) if (object !== undefined) checkOwner(object, options);
  if ('service' in content.target) await reportMissingService(options, content.target.service);
  let isReconfigured = false;
  for (const [index, object] of objects.entries()) {
    const outcome = await withAdvice(options, object, apply(client, object, present[index]));
    isReconfigured ||= outcome === 'configured';
    report(`${describeObject(object)}: ${outcome}`);
  }
  await deleteFormer(options, content, objects);
  // The condition may still be that of the previous configuration.
  if (isReconfigured) await delay(noticeMs);
  const availability = await waitAndReport(client, content, report);
  if (content.revision === undefined) await addRevision(options, content);
  return availability;
}

/** Adds the hash of the resources that the server has in its discovery, now that it may be reachable: the next registration then changes nothing. */
async function addRevision(options: RegisterOptions, content: RegistrationContent): Promise<void> {
  const revision = await revisionOf(options);
  if (revision === undefined) return;
  const apiServices = registrationObjects({ ...content, revision }).filter(({ kind }) => kind === 'APIService');
  for (const object of apiServices) await apply(options.client, object, object);
}

/** Names the flag that helps a user who has no right to give rights. */
async function withAdvice<Result>(
  options: RegisterOptions,
  object: KubeObject,
  call: Promise<Result>,
): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    const isForbidden = error instanceof RegistrationError && isStatusError(error.cause) && error.cause.code === 403;
    if (!isForbidden || !object.apiVersion.startsWith('rbac.authorization.k8s.io/')) throw error;
    const { flagPrefix = '' } = options;
    throw new RegistrationError(`${error.message}; use --${flagPrefix}rbac=false if an administrator gives the rights`);
  }
}

/** The availability of the APIServices. */
async function waitAndReport(client: RestClient, content: RegistrationContent, report: Report) {
  const apiServices = registrationObjects(content).filter(({ kind }) => kind === 'APIService');
  const all = await Promise.all(apiServices.map((object) => waitUntilAvailable(client, object, availabilityTimeoutMs)));
  for (const [index, { isAvailable, message }] of all.entries()) {
    const name = apiServices[index]?.metadata.name ?? '';
    const state = isAvailable
      ? 'available'
      : `not available yet: ${message.replaceAll('\n', ' ') || 'not checked yet'}`;
    report(`${name} is ${state}`);
  }
  const { note } = routingTo(content.server, content.target);
  if (note !== undefined && all.some(({ isAvailable }) => !isAvailable)) report(`note: ${note}`);
  return all;
}

/** The object as it is in the API server; undefined if there is none. */
async function find(client: RestClient, object: KubeObject): Promise<KubeObject | undefined> {
  try {
    return await client.get(resourceOf(object), object.metadata.name ?? '');
  } catch (error) {
    if (isStatusError(error) && error.code === 404) return undefined;
    throw callError(`cannot read ${describeObject(object)}`, error);
  }
}

const findService = (
  client: RestClient,
  { namespace, name }: Pick<ServiceTarget, 'namespace' | 'name'>,
): Promise<ServiceObject | undefined> =>
  find(client, { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name } });

interface ServiceObject extends KubeObject {
  spec?: { type?: string; ports?: { port: number }[] };
}

const isExternalName = ({ spec }: ServiceObject): boolean => spec?.type === 'ExternalName';

/** The label of an APIService that the API server manages itself, because it serves the group-version. */
const autoManagedLabel = 'kube-aggregator.kubernetes.io/automanaged';

/**
 * Throws RegistrationError unless the object was registered for this server, or may be taken over. The API server's own APIServices never
 * may: it would repair them again and again, and for a built-in group the cluster would stop working.
 */
function checkOwner(object: KubeObject, { server, force = false, flagPrefix = '' }: RegisterOptions): void {
  if (isRegisteredFor(server, object)) return;
  const name = describeObject(object);
  if (object.metadata.labels?.[autoManagedLabel] !== undefined)
    throw new RegistrationError(`${name} belongs to the API server, which serves this group-version itself`);
  if (!force)
    throw new RegistrationError(
      `${name} exists and was not registered for "${server}": --${flagPrefix}force takes it over`,
    );
}

/** Applies the object. */
async function apply(
  client: RestClient,
  object: KubeObject,
  present: KubeObject | undefined,
): Promise<'created' | 'configured' | 'unchanged'> {
  try {
    const query = { fieldManager, force: true };
    const applied = await client.patch(resourceOf(object), object.metadata.name ?? '', 'apply', object, { query });
    if (present === undefined) return 'created';
    return deepEqual(configurationOf(applied), configurationOf(present)) ? 'unchanged' : 'configured';
  } catch (error) {
    throw callError(`cannot apply ${describeObject(object)}`, error);
  }
}

/** What a registration sets. The API server writes the status of an APIService at any time, which changes its resourceVersion, too. */
function configurationOf({ metadata, ...contents }: KubeObject): Record<string, unknown> {
  const { resourceVersion: _version, managedFields: _managers, ...kept } = metadata;
  return { ...contents, status: undefined, metadata: kept };
}

/** Deletes APIServices and EndpointSlices of earlier registrations that would keep the API server busy with addresses nobody serves any more. */
async function deleteFormer(options: RegisterOptions, { target }: RegistrationContent, objects: readonly KubeObject[]) {
  const { client, server, report } = options;
  const current = new Set(objects.map(describeObject));
  const namespace = 'address' in target ? target.address.namespace : undefined;
  const found = [
    ...(await registeredObjects(client, server, 'APIService')),
    ...(namespace === undefined ? [] : await registeredObjects(client, server, 'EndpointSlice', namespace)),
  ];
  for (const object of found)
    if (!current.has(describeObject(object)))
      report(`${describeObject(object)}: ${await deleteObject(client, object)}`);
}

async function reportMissingService({ client, report }: RegisterOptions, { namespace, name, port }: ServiceTarget) {
  const service = await findService(client, { namespace, name });
  if (service === undefined)
    report(
      (await servesServices(client))
        ? `note: Service ${namespace}/${name} does not exist yet`
        : `note: the API server serves no Services and connects to ${name}.${namespace}.svc:${port}, which it must be able to resolve`,
    );
  else if (!isExternalName(service) && !service.spec?.ports?.some((listed) => listed.port === port))
    report(`note: Service ${namespace}/${name} has no port ${port}`);
}

/**
 * Whether the core API serves Service objects. A minimal one does not (`apichain up --apis=minimal`). Throws RegistrationError.
 */
async function servesServices(client: RestClient): Promise<boolean> {
  try {
    const { resources } = record(await client.request('GET', '/api/v1'));
    return records(resources).some(({ name }) => name === 'services');
  } catch (error) {
    throw callError('cannot find out whether the API server serves Services', error);
  }
}
