import type { Container, PodSpec, ResourceList } from '@apichain/api/core/v1';
import { field } from '@apichain/meta';
import { aggregate, isSet } from '@apichain/kinds';
import { isHugePages, podResourceName, quantityOf, resourceListErrors } from '../common/resources.ts';
import { checkEach, isNonZero, type Out, sortedEntries } from '../common/rules.ts';
import { claimErrors } from './container-resources.ts';

function aggregateErrors(out: Out, path: string, spec: PodSpec, kind: 'limits' | 'requests'): void {
  const total = aggregate(spec, kind);
  checkEach(out, sortedEntries(spec.resources?.[kind]), (out, [name, value]) => {
    if (kind === 'limits' && !isHugePages(name)) return;
    const given = quantityOf(value);
    const needed = total.get(name);
    if (needed === undefined || given.compare(needed) >= 0) return;
    const detail = `must be greater than or equal to aggregate container ${kind} of ${needed.toString()}`;
    out.push(field.invalid(`${path}.${kind}[${name}]`, given.toString(), detail));
  });
}

/** Checks limits and requests of the pod as a whole; `claims` are the names of the pod's claims. */
export function podResourceErrors(out: Out, path: string, spec: PodSpec, claims: ReadonlySet<string>): void {
  if (!isSet(spec.resources)) return;
  if (spec.os?.name === 'windows') {
    out.push(field.forbidden(path, 'may not be set for a windows pod'));
    return;
  }
  const { resources } = spec;
  if (isNonZero(resources, 'claims', true)) {
    out.push(field.forbidden(`${path}.claims`, 'claims may not be set for Resources at pod-level'));
  }
  resourceListErrors(out, path, resources, podResourceName);
  claimErrors(out, `${path}.claims`, resources.claims, claims);
  aggregateErrors(out, path, spec, 'requests');
  aggregateErrors(out, path, spec, 'limits');
  const limits = resources.limits ?? {};
  checkEach(out, spec.containers ?? [], (out, container, i) => {
    containerLimitErrors(out, `${path}.containers[${i}]`, container, limits);
  });
}

/** The limit of a container must not exceed that of the pod. */
function containerLimitErrors(out: Out, path: string, container: Container, limits: ResourceList): void {
  checkEach(out, sortedEntries(container.resources?.limits), (out, [name, value]) => {
    const limit = limits[name];
    if (!isSet(limit) || quantityOf(value).compare(quantityOf(limit)) <= 0) return;
    const detail = `must be less than or equal to pod limits of ${quantityOf(limit).toString()}`;
    out.push(field.invalid(`${path}[${name}].limits`, quantityOf(value).toString(), detail));
  });
}
