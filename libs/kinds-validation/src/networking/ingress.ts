import {
  field,
  isDNS1123Label,
  isDNS1123Subdomain,
  isValidPathSegmentName,
  isValidPortName,
  isValidPortNum,
  isWildcardDNS1123Subdomain,
  type FieldError,
  type KubeObject,
} from '@apichain/meta';
import { at, integer, isSet, type Plain, record, records, text, texts } from '@apichain/kinds';
import { parseIpLoosely } from '@apichain/go-text';
import { goList } from '../common/go-value.ts';
import {
  checkEach,
  collect,
  invalidEach,
  isGivenEmpty,
  optionalName,
  type Out,
  pointerName,
  requiredName,
} from '../common/rules.ts';
import { legacyIpMessages } from '../service-cluster-ips.ts';

const notAnIp = 'must be a DNS name, not an IP address';
const hostRule = (host: string): string[] =>
  host.includes('*') ? isWildcardDNS1123Subdomain(host) : isDNS1123Subdomain(host);

function backendErrors(out: Out, path: string, backend: Plain): void {
  const hasResource = isSet(backend.resource);
  const hasService = isSet(backend.service);
  if (hasResource && hasService) {
    out.push(field.invalid(path, '', 'cannot set both resource and service backends'));
  } else if (hasResource) {
    const { apiGroup, kind, name } = record(backend.resource);
    pointerName(out, `${path}.resource.apiGroup`, apiGroup, isDNS1123Subdomain);
    requiredName(out, `${path}.resource.kind`, kind, isValidPathSegmentName);
    requiredName(out, `${path}.resource.name`, name, isValidPathSegmentName);
  } else if (hasService) serviceBackendErrors(out, path, record(backend.service));
  else out.push(field.invalid(path, '', 'resource or service backend is required'));
}

function serviceBackendErrors(out: Out, path: string, service: Plain): void {
  requiredName(out, `${path}.service.name`, service.name, isDNS1123Label);
  const port = record(service.port);
  const hasName = text(port.name) !== '';
  const hasNumber = integer(port.number) !== 0;
  if (hasName && hasNumber) out.push(field.invalid(path, '', 'cannot set both port name & port number'));
  else if (hasName) invalidEach(out, `${path}.service.port.name`, port.name, isValidPortName(text(port.name)));
  else if (hasNumber) {
    invalidEach(out, `${path}.service.port.number`, port.number, isValidPortNum(integer(port.number)));
  } else out.push(field.required(path, 'port name or number is required'));
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];

function exactPathErrors(out: Out, path: string, value: string): void {
  if (!value.startsWith('/')) out.push(field.invalid(path, value, 'must be an absolute path'));
  if (value === '') return;
  for (const sequence of ['//', '/./', '/../', '%2f', '%2F']) {
    if (value.includes(sequence)) out.push(field.invalid(path, value, `must not contain '${sequence}'`));
  }
  for (const suffix of ['/..', '/.']) {
    if (value.endsWith(suffix)) out.push(field.invalid(path, value, `cannot end with '${suffix}'`));
  }
}

function pathErrors(out: Out, path: string, entry: Plain): void {
  if (!isSet(entry.pathType)) {
    out.push(field.required(`${path}.pathType`, 'pathType must be specified'));
    return;
  }
  const type = text(entry.pathType);
  const value = text(entry.path);
  if (type === 'Exact' || type === 'Prefix') exactPathErrors(out, `${path}.path`, value);
  else if (type === 'ImplementationSpecific') {
    if (value !== '' && !value.startsWith('/')) {
      out.push(field.invalid(`${path}.path`, value, 'must be an absolute path'));
    }
  } else out.push(field.notSupported(`${path}.pathType`, type, pathTypes));
  backendErrors(out, `${path}.backend`, record(entry.backend));
}

function ruleErrors(out: Out, path: string, rule: Plain, anyWildcardRule: boolean): void {
  const host = text(rule.host);
  if (host !== '') {
    if (parseIpLoosely(host) !== undefined) out.push(field.invalid(`${path}.host`, host, notAnIp));
    invalidEach(out, `${path}.host`, host, hostRule(host));
  }
  if (!anyWildcardRule || !host.includes('*')) httpErrors(out, path, rule);
}

function httpErrors(out: Out, path: string, rule: Plain): void {
  if (!isSet(rule.http)) return;
  const paths = records(record(rule.http).paths);
  if (paths.length === 0) out.push(field.required(`${path}.http.paths`));
  checkEach(out, paths, (out, entry, j) => pathErrors(out, `${path}.http.paths[${j}]`, entry));
}

function tlsErrors(out: Out, path: string, entry: Plain, hadBadSecret: boolean): void {
  checkEach(out, texts(entry.hosts), (out, host, j) => {
    invalidEach(out, `${path}.hosts[${j}]`, host, hostRule(host));
  });
  if (!hadBadSecret) optionalName(out, `${path}.secretName`, entry.secretName, isDNS1123Subdomain);
}

/** A rule for a wildcard host was not always checked: what was stored so may stay. */
function hadBadWildcardRule(old: Plain | undefined): boolean {
  return records(old?.rules).some(
    (rule) => text(rule.host).includes('*') && collect((out) => httpErrors(out, '', rule)).length > 0,
  );
}

function specErrors(out: Out, spec: Plain, old: Plain | undefined): void {
  const rules = records(spec.rules);
  if (rules.length === 0 && !isSet(spec.defaultBackend)) {
    const shown = isGivenEmpty(spec, 'rules') ? [] : goList('networking.k8s.io.v1.IngressRule', spec.rules);
    out.push(field.invalid('spec', shown, 'either `defaultBackend` or `rules` must be specified'));
  }
  if (isSet(spec.defaultBackend)) backendErrors(out, 'spec.defaultBackend', record(spec.defaultBackend));
  const anyWildcardRule = hadBadWildcardRule(old);
  checkEach(out, rules, (out, rule, i) => ruleErrors(out, `spec.rules[${i}]`, rule, anyWildcardRule));
  const hadBadSecret = records(old?.tls).some(
    (entry) => text(entry.secretName) !== '' && isDNS1123Subdomain(text(entry.secretName)).length > 0,
  );
  checkEach(out, records(spec.tls), (out, entry, i) => tlsErrors(out, `spec.tls[${i}]`, entry, hadBadSecret));
  pointerName(out, 'spec.ingressClassName', spec.ingressClassName, isDNS1123Subdomain);
}

const classAnnotation = 'kubernetes.io/ingress.class';

/** https://kubernetes.io/docs/concepts/services-networking/ingress/ */
export function validateIngress(ingress: KubeObject): FieldError[] {
  return collect((out) => {
    specErrors(out, record(ingress.spec), undefined);
    const annotation = ingress.metadata.annotations?.[classAnnotation];
    const name = at(ingress.spec, 'ingressClassName');
    if (annotation !== undefined && isSet(name) && name !== annotation) {
      const detail = 'must match `ingressClassName` when both are specified';
      out.push(field.invalid(`annotations.${classAnnotation}`, annotation, detail));
    }
  });
}

export const validateIngressUpdate = (ingress: KubeObject, old: KubeObject): FieldError[] =>
  collect((out) => specErrors(out, record(ingress.spec), record(old.spec)));

export function validateIngressStatus(ingress: KubeObject, old: KubeObject): FieldError[] {
  return collect((out) => {
    const ingressOf = (object: KubeObject) => records(at(object.status, 'loadBalancer', 'ingress'));
    const stored = new Set(ingressOf(old).map((entry) => text(entry.ip)));
    checkEach(out, ingressOf(ingress), (out, entry, i) => {
      const path = `status.loadBalancer.ingress[${i}]`;
      const ip = text(entry.ip);
      if (ip !== '' && !stored.has(ip)) invalidEach(out, `${path}.ip`, ip, legacyIpMessages(ip));
      optionalName(out, `${path}.hostname`, entry.hostname, isDNS1123Subdomain);
      if (parseIpLoosely(text(entry.hostname)) !== undefined) {
        out.push(field.invalid(`${path}.hostname`, entry.hostname, notAnIp));
      }
    });
  });
}
