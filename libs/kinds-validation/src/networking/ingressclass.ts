import {
  byteLength,
  field,
  isDNS1123Label,
  isDNS1123Subdomain,
  isValidPathSegmentName,
  type FieldError,
  type KubeObject,
} from '@apichain/meta';
import { at, isSet, type Plain, record, text } from '@apichain/kinds';
import { domainPrefixedPath } from '../common/formats.ts';
import { collect, immutable, invalidEach, type Out, pointerName, requiredName } from '../common/rules.ts';

const longestController = 250;

function parameterErrors(out: Out, path: string, parameters: Plain): void {
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
    else invalidEach(out, `${path}.namespace`, namespace, isDNS1123Label(text(namespace)));
  }
  if (scope === 'Cluster' && isSet(namespace)) {
    out.push(field.forbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'"));
  }
}

/** https://kubernetes.io/docs/concepts/services-networking/ingress/#ingress-class */
export function validateIngressClass(ingressClass: KubeObject): FieldError[] {
  return collect((out) => {
    const spec = record(ingressClass.spec);
    if (byteLength(text(spec.controller)) > longestController) {
      out.push(field.tooLong('spec.controller', longestController));
    }
    domainPrefixedPath(out, 'spec.controller', spec.controller);
    if (isSet(spec.parameters)) parameterErrors(out, 'spec.parameters', record(spec.parameters));
  });
}

export function validateIngressClassUpdate(ingressClass: KubeObject, old: KubeObject): FieldError[] {
  return collect((out) => {
    const controller = text(at(ingressClass.spec, 'controller'));
    immutable(out, 'spec.controller', controller, at(old.spec, 'controller'));
  });
}
