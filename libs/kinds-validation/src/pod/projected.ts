import type {
  ClusterTrustBundleProjection,
  ConfigMapProjection,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  PodCertificateProjection,
  ProjectedVolumeSource,
  SecretProjection,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '@apichain/api/core/v1';
import { byteLength, field, isDNS1123Subdomain } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { domainPrefixedKey, localPath, signerName, tokenSeconds } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import { checkEach, type Out, requiredText, sortedEntries, strictChoice } from '../common/rules.ts';
import { labelSelectorErrors } from '../common/selectors.ts';
import { fieldRefErrors, resourceFieldRefErrors, volumeFields } from './field-selectors.ts';
import { fileMode, keyToPathErrors } from './volume-sources.ts';

/** Checks one file of the downward API. */
function downwardFileErrors(out: Out, path: string, file: DownwardAPIVolumeFile): void {
  requiredText(out, `${path}.path`, file.path);
  localPath(out, `${path}.path`, file.path ?? '');
  if (isSet(file.fieldRef)) {
    fieldRefErrors(out, `${path}.fieldRef`, file.fieldRef, volumeFields);
    if (isSet(file.resourceFieldRef)) {
      out.push(field.invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (isSet(file.resourceFieldRef)) {
    resourceFieldRefErrors(out, `${path}.resourceFieldRef`, file.resourceFieldRef, true);
  } else out.push(field.required(path, 'one of fieldRef and resourceFieldRef is required'));
  fileMode(out, `${path}.mode`, file.mode);
}

/** Checks the files of a downward API volume; all errors have the path of the volume. */
export function downwardApiErrors(out: Out, path: string, source: DownwardAPIVolumeSource): void {
  fileMode(out, `${path}.defaultMode`, source.defaultMode);
  checkEach(out, source.items ?? [], (out, file) => downwardFileErrors(out, path, file));
}

const annotationLimit = 256 * 1024;

/** Checks the annotations that the user passes to the signer of a pod certificate. */
function userAnnotationErrors(out: Out, path: string, annotations: Record<string, string> | undefined): void {
  let size = 0;
  for (const [key, value] of sortedEntries(annotations)) {
    domainPrefixedKey(out, path, key.toLowerCase());
    size += byteLength(key) + byteLength(value);
  }
  if (size > annotationLimit) out.push(field.tooLong(path, annotationLimit));
}

/** The file paths in a projected volume, each of which may be used only once. */
class FilePaths {
  readonly #out: Out;
  readonly #volumePath: string;
  readonly #taken = new Set<string>();

  constructor(out: Out, volumePath: string) {
    this.#out = out;
    this.#volumePath = volumePath;
  }
  take(path: string, shown: string): void {
    if (path === '') return;
    if (this.#taken.has(path)) {
      this.#out.push(field.invalid(this.#volumePath, shown, 'conflicting duplicate paths'));
    }
    this.#taken.add(path);
  }
}

function keysErrors(out: Out, path: string, source: SecretProjection | ConfigMapProjection, paths: FilePaths): void {
  requiredText(out, `${path}.name`, source.name);
  keyToPathErrors(out, `${path}.items`, source.items);
  for (const item of source.items ?? []) paths.take(item.path ?? '', source.name ?? '');
}

function tokenErrors(out: Out, path: string, volumePath: string, source: ServiceAccountTokenProjection): void {
  tokenSeconds(out, `${path}.expirationSeconds`, source.expirationSeconds);
  const file = source.path ?? '';
  // As in the API server, the error has the path of the volume.
  if (file === '') out.push(field.required(`${volumePath}.path`));
  else localPath(out, `${volumePath}.path`, file);
}

function trustBundleErrors(out: Out, path: string, source: ClusterTrustBundleProjection, paths: FilePaths): void {
  const hasName = isSet(source.name);
  const hasSigner = isSet(source.signerName);
  const shown = () => goValue('core.v1.ClusterTrustBundleProjection', source);
  if (hasName && hasSigner) out.push(field.invalid(path, shown(), 'only one of name and signerName may be used'));
  else if (hasName) {
    const name = source.name ?? '';
    if (name === '') out.push(field.required(`${path}.name`, 'must be a valid object name'));
    else {
      checkEach(out, isDNS1123Subdomain(name), (out, message) => {
        out.push(field.invalid(`${path}.name`, name, `not a valid clustertrustbundlename: ${message}`));
      });
    }
    if (isSet(source.labelSelector)) {
      const detail = 'labelSelector must be unset if name is specified';
      out.push(field.invalid(`${path}.labelSelector`, source.labelSelector, detail));
    }
  } else if (hasSigner) {
    if (source.signerName === '') {
      out.push(field.required(`${path}.signerName`, 'must be a valid signer name'));
    }
    signerName(out, `${path}.signerName`, source.signerName);
    labelSelectorErrors(out, `${path}.labelSelector`, source.labelSelector);
  } else out.push(field.required(path, 'either name or signerName must be specified'));
  requiredText(out, `${path}.path`, source.path);
  const file = source.path ?? '';
  localPath(out, `${path}.path`, file);
  paths.take(file, file);
}

const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];
const certificatePaths = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const;
const shortestCertificate = 3600;
const longestCertificate = 91 * 24 * 3600;
const longestOwnCertificate = 24 * 3600;

function podCertificateErrors(out: Out, path: string, source: PodCertificateProjection, paths: FilePaths): void {
  signerName(out, `${path}.signerName`, source.signerName);
  userAnnotationErrors(out, `${path}.userAnnotations`, source.userAnnotations);
  strictChoice(out, `${path}.keyType`, source.keyType, keyTypes);
  const seconds = source.maxExpirationSeconds;
  if (isSet(seconds)) {
    const own = ((source.signerName ?? '').split('/')[0] ?? '').endsWith('kubernetes.io');
    const most = own ? longestOwnCertificate : longestCertificate;
    const at = `${path}.maxExpirationSeconds`;
    if (seconds < shortestCertificate) {
      out.push(field.invalid(at, seconds, `if provided, maxExpirationSeconds must be >= ${shortestCertificate}`));
    } else if (seconds > most) {
      out.push(field.invalid(at, seconds, `if provided, maxExpirationSeconds must be <= ${most}`));
    }
  }
  let given = 0;
  for (const name of certificatePaths) {
    const file = source[name] ?? '';
    if (file === '') continue;
    given++;
    localPath(out, `${path}.${name}`, file);
    paths.take(file, file);
  }
  if (given === 0) {
    out.push(field.required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'));
  }
}

function sourceErrors(out: Out, path: string, volumePath: string, source: VolumeProjection, paths: FilePaths): void {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (isSet(secret)) keysErrors(out, `${path}.secret`, secret, paths);
  if (isSet(configMap)) keysErrors(out, `${path}.configMap`, configMap, paths);
  checkEach(out, downwardAPI?.items ?? [], (out, file) => {
    downwardFileErrors(out, `${path}.downwardAPI`, file);
    paths.take(file.path ?? '', file.path ?? '');
  });
  if (isSet(serviceAccountToken)) {
    tokenErrors(out, `${path}.serviceAccountToken`, volumePath, serviceAccountToken);
  }
  if (isSet(clusterTrustBundle)) trustBundleErrors(out, `${path}.clusterTrustBundle`, clusterTrustBundle, paths);
  if (isSet(podCertificate)) podCertificateErrors(out, `${path}.podCertificate`, podCertificate, paths);
  const given = [secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate].filter(isSet);
  if (given.length > 1) out.push(field.forbidden(path, 'may not specify more than 1 volume type per source'));
}

/** Checks a projected volume, which combines several sources. */
export function projectedErrors(out: Out, path: string, source: ProjectedVolumeSource): void {
  fileMode(out, `${path}.defaultMode`, source.defaultMode);
  const paths = new FilePaths(out, path);
  checkEach(out, source.sources ?? [], (out, part, j) => {
    sourceErrors(out, `${path}.sources[${j}]`, path, part, paths);
  });
}
