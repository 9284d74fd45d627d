import type { PodResourceClaim } from '@apichain/api/core/v1';
import { field, isDNS1123Label, isDNS1123Subdomain } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { goValue } from '../common/go-value.ts';
import { checkEach, invalidEach, type Out, pointerName } from '../common/rules.ts';
import type { PodContext } from './context.ts';

const sources = [
  'resourceClaimName',
  'resourceClaimTemplateName',
] as const satisfies readonly (keyof PodResourceClaim)[];

function claimErrors(out: Out, path: string, claim: PodResourceClaim, known: Set<string>): void {
  const name = claim.name ?? '';
  if (name === '') out.push(field.required(`${path}.name`));
  else if (known.has(name)) out.push(field.duplicate(`${path}.name`, name));
  else {
    invalidEach(out, `${path}.name`, name, isDNS1123Label(name));
    known.add(name);
  }
  const given = sources.filter((source) => isSet(claim[source]));
  const quoted = sources.map((source) => `\`${source}\``);
  if (given.length === 2) {
    const detail = `at most one of ${quoted.join(' or ')} may be specified`;
    out.push(field.invalid(path, goValue('core.v1.PodResourceClaim', claim), detail));
  } else if (given.length === 0) {
    const detail = `must specify one of: ${quoted.join(', ')}`;
    out.push(field.invalid(path, goValue('core.v1.PodResourceClaim', claim), detail));
  }
  for (const source of sources) pointerName(out, `${path}.${source}`, claim[source], isDNS1123Subdomain);
}

/** Checks the resource claims of a pod and records their names for the checks of containers. */
export function resourceClaimErrors(out: Out, context: PodContext): void {
  const claims = context.spec.resourceClaims ?? [];
  if (context.isMirror && claims.length > 0) {
    out.push(field.forbidden('[]', 'static pods do not support resource claims'));
  }
  checkEach(out, claims, (out, claim, i) => {
    claimErrors(out, `${context.path}.resourceClaims[${i}]`, claim, context.resourceClaims);
  });
}
