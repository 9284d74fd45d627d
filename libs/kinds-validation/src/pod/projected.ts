import { byteLength, field, isDNS1123Subdomain } from '@apichain/meta';
import { integer, isSet, type Plain, record, records, text } from '@apichain/kinds';
import { domainPrefixedKey, localPath, signerName, tokenSeconds } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import { checkEach, type Out, requiredText, sortedEntries, strictChoice } from '../common/rules.ts';
import { labelSelectorErrors } from '../common/selectors.ts';
import { fieldRefErrors, resourceFieldRefErrors, volumeFields } from './field-selectors.ts';
import { fileMode, keyToPathErrors } from './volume-sources.ts';

/** One file of the downward API. */
function downwardFileErrors(out: Out, path: string, file: Plain): void {
  requiredText(out, `${path}.path`, file.path);
  localPath(out, `${path}.path`, text(file.path));
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

/** Files of a downward API volume, all reported at the volume. */
export function downwardApiErrors(out: Out, path: string, source: Plain): void {
  fileMode(out, `${path}.defaultMode`, source.defaultMode);
  checkEach(out, records(source.items), (out, file) => downwardFileErrors(out, path, file));
}

const annotationLimit = 256 * 1024;

/** Annotations that a certificate's user gives its signer. */
function userAnnotationErrors(out: Out, path: string, annotations: unknown): void {
  let size = 0;
  for (const [key, value] of sortedEntries(annotations)) {
    domainPrefixedKey(out, path, key.toLowerCase());
    size += byteLength(key) + byteLength(text(value));
  }
  if (size > annotationLimit) out.push(field.tooLong(path, annotationLimit));
}

/** Paths of one projected volume: each is taken once. */
class FilePaths {
  readonly #out: Out;
  readonly #volumePath: string;
  readonly #taken = new Set<string>();

  constructor(out: Out, volumePath: string) {
    this.#out = out;
    this.#volumePath = volumePath;
  }
  take(path: unknown, shown: string): void {
    const name = text(path);
    if (name === '') return;
    if (this.#taken.has(name)) {
      this.#out.push(field.invalid(this.#volumePath, shown, 'conflicting duplicate paths'));
    }
    this.#taken.add(name);
  }
}

function keysErrors(out: Out, path: string, source: Plain, paths: FilePaths): void {
  requiredText(out, `${path}.name`, source.name);
  keyToPathErrors(out, `${path}.items`, source.items);
  for (const item of records(source.items)) paths.take(item.path, text(source.name));
}

function tokenErrors(out: Out, path: string, volumePath: string, source: Plain): void {
  tokenSeconds(out, `${path}.expirationSeconds`, source.expirationSeconds);
  const file = text(source.path);
  // The API server reports the path at the volume.
  if (file === '') out.push(field.required(`${volumePath}.path`));
  else localPath(out, `${volumePath}.path`, file);
}

function trustBundleErrors(out: Out, path: string, source: Plain, paths: FilePaths): void {
  const hasName = isSet(source.name);
  const hasSigner = isSet(source.signerName);
  const shown = () => goValue('core.v1.ClusterTrustBundleProjection', source);
  if (hasName && hasSigner) out.push(field.invalid(path, shown(), 'only one of name and signerName may be used'));
  else if (hasName) {
    const name = text(source.name);
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
    if (text(source.signerName) === '') {
      out.push(field.required(`${path}.signerName`, 'must be a valid signer name'));
    }
    signerName(out, `${path}.signerName`, source.signerName);
    labelSelectorErrors(out, `${path}.labelSelector`, source.labelSelector);
  } else out.push(field.required(path, 'either name or signerName must be specified'));
  requiredText(out, `${path}.path`, source.path);
  localPath(out, `${path}.path`, text(source.path));
  paths.take(source.path, text(source.path));
}

const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];
const certificatePaths = ['credentialBundlePath', 'keyPath', 'certificateChainPath'];
const shortestCertificate = 3600;
const longestCertificate = 91 * 24 * 3600;
const longestOwnCertificate = 24 * 3600;

function podCertificateErrors(out: Out, path: string, source: Plain, paths: FilePaths): void {
  signerName(out, `${path}.signerName`, source.signerName);
  userAnnotationErrors(out, `${path}.userAnnotations`, source.userAnnotations);
  strictChoice(out, `${path}.keyType`, source.keyType, keyTypes);
  if (isSet(source.maxExpirationSeconds)) {
    const seconds = integer(source.maxExpirationSeconds);
    const own = (text(source.signerName).split('/')[0] ?? '').endsWith('kubernetes.io');
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
    const file = text(source[name]);
    if (file === '') continue;
    given++;
    localPath(out, `${path}.${name}`, file);
    paths.take(file, file);
  }
  if (given === 0) {
    out.push(field.required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'));
  }
}

const kinds = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken', 'clusterTrustBundle', 'podCertificate'];

function sourceErrors(out: Out, path: string, volumePath: string, source: Plain, paths: FilePaths): void {
  let given = 0;
  for (const kind of kinds) {
    if (!isSet(source[kind])) continue;
    given++;
    const at = `${path}.${kind}`;
    const projection = record(source[kind]);
    if (kind === 'secret' || kind === 'configMap') keysErrors(out, at, projection, paths);
    else if (kind === 'downwardAPI') {
      checkEach(out, records(projection.items), (out, file) => {
        downwardFileErrors(out, at, file);
        paths.take(file.path, text(file.path));
      });
    } else if (kind === 'serviceAccountToken') tokenErrors(out, at, volumePath, projection);
    else if (kind === 'clusterTrustBundle') trustBundleErrors(out, at, projection, paths);
    else podCertificateErrors(out, at, projection, paths);
  }
  if (given > 1) out.push(field.forbidden(path, 'may not specify more than 1 volume type per source'));
}

/** A volume put together of several sources. */
export function projectedErrors(out: Out, path: string, source: Plain): void {
  fileMode(out, `${path}.defaultMode`, source.defaultMode);
  const paths = new FilePaths(out, path);
  checkEach(out, records(source.sources), (out, part, j) => {
    sourceErrors(out, `${path}.sources[${j}]`, path, part, paths);
  });
}
