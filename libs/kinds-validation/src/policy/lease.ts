import type { Lease } from '@apichain/api/coordination/v1';
import type { LeaseCandidate } from '@apichain/api/coordination/v1beta1';
import { field, isQualifiedName, type FieldError } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { collect, immutable, invalidEach, nonNegative, type Out, requiredText } from '../common/rules.ts';

function strategyErrors(out: Out, path: string, strategy: string): void {
  if (strategy.includes('/')) invalidEach(out, path, strategy, isQualifiedName(strategy));
  else if (strategy !== 'OldestEmulationVersion') {
    out.push(field.notSupported(path, strategy, ['OldestEmulationVersion']));
  }
}

/** https://kubernetes.io/docs/concepts/architecture/leases/ */
export function validateLease(lease: Lease): FieldError[] {
  return collect((out) => {
    const spec = lease.spec ?? {};
    if (isSet(spec.leaseDurationSeconds) && (spec.leaseDurationSeconds ?? 0) <= 0) {
      out.push(field.invalid('spec.leaseDurationSeconds', spec.leaseDurationSeconds, 'must be greater than 0'));
    }
    nonNegative(out, 'spec.leaseTransitions', spec.leaseTransitions);
    if (isSet(spec.strategy)) strategyErrors(out, 'spec.strategy.strategy', spec.strategy ?? '');
    if ((spec.preferredHolder ?? '') !== '' && (spec.strategy ?? '') === '') {
      out.push(field.forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined'));
    }
  });
}

const semanticVersion = /^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

const noVersion = '0.0.0';

const numbers = (version: string): number[] => version.split(/[-+]/)[0]?.split('.').map(Number) ?? [];

function isOlder(a: string, b: string): boolean {
  const [left, right] = [numbers(a), numbers(b)];
  const i = left.findIndex((part, at) => part !== right[at]);
  return i >= 0 && (left[i] ?? 0) < (right[i] ?? 0);
}

/** A semantic version; 0.0.0 when the text is invalid or absent. */
function versionOf(out: Out, path: string, version: string): string {
  if (version === '') return noVersion;
  if (semanticVersion.test(version)) return version;
  out.push(field.invalid(path, version, 'must be a valid semantic version'));
  return noVersion;
}

/** After pkg/apis/coordination/validation of kubernetes 1.36. */
export function validateLeaseCandidate(candidate: LeaseCandidate, old?: LeaseCandidate): FieldError[] {
  return collect((out) => {
    const spec = candidate.spec ?? {};
    const { emulationVersion: emulated = '', binaryVersion: built = '', strategy = '' } = spec;
    requiredText(out, 'spec.leaseName', spec.leaseName);
    const emulation = versionOf(out, 'spec.emulationVersion', emulated);
    if (built === '') out.push(field.required('spec.binaryVersion'));
    const binary = versionOf(out, 'spec.binaryVersion', built);
    if (built !== '' && emulated !== '' && isOlder(binary, emulation)) {
      const detail = 'must be greater than or equal to `emulationVersion`';
      out.push(field.invalid('spec.binaryVersion', built, detail));
    }
    if (strategy === '') out.push(field.required('spec.strategy'));
    else {
      if (strategy === 'OldestEmulationVersion' && emulation === noVersion) {
        const detail = "must be specified when `strategy` is 'OldestEmulationVersion'";
        out.push(field.required('spec.emulationVersion', detail));
      }
      strategyErrors(out, 'spec.strategy.strategy', strategy);
    }
    if (old !== undefined) immutable(out, 'spec.leaseName', spec.leaseName, old.spec?.leaseName);
  });
}
