import type { ClusterTrustBundle } from '@apichain/api/certificates/v1beta1';
import { byteLength, field, nameIsDNSSubdomain, pemBlocks, type FieldError, type PemBlock } from '@apichain/meta';
import type { NameValidator } from '@apichain/apiserver';
import { signerName } from '../common/formats.ts';
import { collect, immutable, type Out } from '../common/rules.ts';
import { certificateOf } from './pem-certificates.ts';

/* After pkg/apis/certificates/validation of kubernetes 1.36. */

const largestBundle = 1024 * 1024;
const path = 'spec.trustBundle';

/** The name of a signer's bundle starts with a prefix from the signer's name; other names must not contain a colon. */
export function trustBundleName(bundle: ClusterTrustBundle): NameValidator {
  const signer = bundle.spec?.signerName ?? '';
  const prefix = `${signer.replaceAll('/', ':')}:`;
  return (name, isPrefix) => {
    if (signer === '') {
      return name.includes(':')
        ? ['ClusterTrustBundle without signer name must not have ":" in its name']
        : nameIsDNSSubdomain(name, isPrefix);
    }
    return name.startsWith(prefix)
      ? nameIsDNSSubdomain(name.slice(prefix.length), isPrefix)
      : [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`];
  };
}

/** Why a PEM block is not a trust anchor; undefined when it is. */
function blockProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (hasHeaders) return 'has PEM block headers';
  const certificate = certificateOf(bytes);
  if (certificate === undefined) return 'does not parse as X.509';
  return certificate.ca ? undefined : 'does not have the CA bit set';
}

function bundleErrors(out: Out, bundle: string): void {
  if (byteLength(bundle) > largestBundle) {
    out.push(field.tooLong(path, largestBundle));
    return;
  }
  const refuse = (detail: string) => out.push(field.invalid(path, '<value omitted>', detail));
  const blocks = [...pemBlocks(bundle)];
  for (const [i, block] of blocks.entries()) {
    const problem = blockProblem(block);
    if (problem !== undefined) refuse(`entry ${i} ${problem}`);
  }
  if (out.some((error) => error.field === path)) return;
  if (blocks.length === 0) refuse('at least one trust anchor must be provided');
  const places = Map.groupBy(blocks.keys(), (i) => blocks[i]?.bytes.toString('base64'));
  for (const indices of places.values()) {
    if (indices.length > 1) refuse(`duplicate trust anchor (indices [${indices.join(' ')}])`);
  }
}

/** The certificates are parsed again only when the bundle changes. */
export function validateTrustBundle(bundle: ClusterTrustBundle, old?: ClusterTrustBundle): FieldError[] {
  return collect((out) => {
    const signer = bundle.spec?.signerName;
    if ((signer ?? '') !== '') signerName(out, 'spec.signerName', signer);
    const anchors = bundle.spec?.trustBundle ?? '';
    if (old === undefined || anchors !== (old.spec?.trustBundle ?? '')) bundleErrors(out, anchors);
  });
}

export const validateTrustBundleUpdate = (bundle: ClusterTrustBundle, old: ClusterTrustBundle): FieldError[] =>
  collect((out) => {
    const signer = bundle.spec?.signerName ?? '';
    immutable(out, 'spec.signerName', signer, old.spec?.signerName ?? '');
  });
