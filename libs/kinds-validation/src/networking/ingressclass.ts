import type { IngressClass, IngressClassParametersReference } from '@apichain/api/networking/v1';
import {
  byteLength,
  field,
  isDNS1123Label,
  isDNS1123Subdomain,
  isValidPathSegmentName,
  type FieldError,
} from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { domainPrefixedPath } from '../common/formats.ts';
import { collect, immutable, invalidEach, type Out, pointerName, requiredName } from '../common/rules.ts';

const longestController = 250;

function parameterErrors(out: Out, path: string, parameters: IngressClassParametersReference): void {
  pointerName(out, `${path}.apiGroup`, parameters.apiGroup, isDNS1123Subdomain);
  requiredName(out, `${path}.kind`, parameters.kind, isValidPathSegmentName);
  requiredName(out, `${path}.name`, parameters.name, isValidPathSegmentName);
  const { scope, namespace } = parameters;
  if (!isSet(scope)) {
    out.push(field.required(`${path}.scope`));
    return;
  }
  if (scope !== 'Cluster' && scope !== 'Namespace') {
    out.push(field.notSupported(`${path}.scope`, scope, ['Cluster', 'Namespace']));
  }
  if (scope === 'Namespace') {
    if (!isSet(namespace)) out.push(field.required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'"));
    else invalidEach(out, `${path}.namespace`, namespace, isDNS1123Label(namespace ?? ''));
  }
  if (scope === 'Cluster' && isSet(namespace)) {
    out.push(field.forbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'"));
  }
}

/** https://kubernetes.io/docs/concepts/services-networking/ingress/#ingress-class */
export function validateIngressClass(ingressClass: IngressClass): FieldError[] {
  return collect((out) => {
    const spec = ingressClass.spec ?? {};
    if (byteLength(spec.controller ?? '') > longestController) {
      out.push(field.tooLong('spec.controller', longestController));
    }
    domainPrefixedPath(out, 'spec.controller', spec.controller);
    if (isSet(spec.parameters)) parameterErrors(out, 'spec.parameters', spec.parameters ?? {});
  });
}

export function validateIngressClassUpdate(ingressClass: IngressClass, old: IngressClass): FieldError[] {
  return collect((out) => {
    const controller = ingressClass.spec?.controller ?? '';
    immutable(out, 'spec.controller', controller, old.spec?.controller);
  });
}
