import type {
  Ingress,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  HTTPIngressPath,
  IngressSpec,
  IngressTLS,
} from '@apichain/api/networking/v1';
import {
  field,
  isDNS1123Label,
  isDNS1123Subdomain,
  isValidPathSegmentName,
  isValidPortName,
  isValidPortNum,
  isWildcardDNS1123Subdomain,
  type FieldError,
} from '@apichain/meta';
import { isSet } from '@apichain/kinds';
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

function backendErrors(out: Out, path: string, backend: IngressBackend): void {
  const hasResource = isSet(backend.resource);
  const hasService = isSet(backend.service);
  if (hasResource && hasService) {
    out.push(field.invalid(path, '', 'cannot set both resource and service backends'));
  } else if (hasResource) {
    const { apiGroup, kind, name } = backend.resource ?? {};
    pointerName(out, `${path}.resource.apiGroup`, apiGroup, isDNS1123Subdomain);
    requiredName(out, `${path}.resource.kind`, kind, isValidPathSegmentName);
    requiredName(out, `${path}.resource.name`, name, isValidPathSegmentName);
  } else if (hasService) serviceBackendErrors(out, path, backend.service ?? {});
  else out.push(field.invalid(path, '', 'resource or service backend is required'));
}

function serviceBackendErrors(out: Out, path: string, service: IngressServiceBackend): void {
  requiredName(out, `${path}.service.name`, service.name, isDNS1123Label);
  const port = service.port ?? {};
  const hasName = (port.name ?? '') !== '';
  const hasNumber = (port.number ?? 0) !== 0;
  if (hasName && hasNumber) out.push(field.invalid(path, '', 'cannot set both port name & port number'));
  else if (hasName) invalidEach(out, `${path}.service.port.name`, port.name, isValidPortName(port.name ?? ''));
  else if (hasNumber) {
    invalidEach(out, `${path}.service.port.number`, port.number, isValidPortNum(port.number ?? 0));
  } else out.push(field.required(path, 'port name or number is required'));
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];

function exactPathErrors(out: Out, path: string, value: string): void {
  if (!value.startsWith('/')) out.push(field.invalid(path, value, 'must be an absolute path'));
  if (value === '') return;
  for (const sequence of ['//', '/./', '/../', '%2f', '%2F'] as const) {
    if (value.includes(sequence)) out.push(field.invalid(path, value, `must not contain '${sequence}'`));
  }
  for (const suffix of ['/..', '/.'] as const) {
    if (value.endsWith(suffix)) out.push(field.invalid(path, value, `cannot end with '${suffix}'`));
  }
}

function pathErrors(out: Out, path: string, entry: HTTPIngressPath): void {
  if (!isSet(entry.pathType)) {
    out.push(field.required(`${path}.pathType`, 'pathType must be specified'));
    return;
  }
  const type = entry.pathType ?? '';
  const value = entry.path ?? '';
  if (type === 'Exact' || type === 'Prefix') exactPathErrors(out, `${path}.path`, value);
  else if (type === 'ImplementationSpecific') {
    if (value !== '' && !value.startsWith('/')) {
      out.push(field.invalid(`${path}.path`, value, 'must be an absolute path'));
    }
  } else out.push(field.notSupported(`${path}.pathType`, type, pathTypes));
  backendErrors(out, `${path}.backend`, entry.backend ?? {});
}

function ruleErrors(out: Out, path: string, rule: IngressRule, anyWildcardRule: boolean): void {
  const host = rule.host ?? '';
  if (host !== '') {
    if (parseIpLoosely(host) !== undefined) out.push(field.invalid(`${path}.host`, host, notAnIp));
    invalidEach(out, `${path}.host`, host, hostRule(host));
  }
  if (!anyWildcardRule || !host.includes('*')) httpErrors(out, path, rule);
}

function httpErrors(out: Out, path: string, rule: IngressRule): void {
  if (!isSet(rule.http)) return;
  const paths = rule.http?.paths ?? [];
  if (paths.length === 0) out.push(field.required(`${path}.http.paths`));
  checkEach(out, paths, (out, entry, j) => pathErrors(out, `${path}.http.paths[${j}]`, entry));
}

function tlsErrors(out: Out, path: string, entry: IngressTLS, hadBadSecret: boolean): void {
  checkEach(out, entry.hosts ?? [], (out, host, j) => {
    invalidEach(out, `${path}.hosts[${j}]`, host, hostRule(host));
  });
  if (!hadBadSecret) optionalName(out, `${path}.secretName`, entry.secretName, isDNS1123Subdomain);
}

/** Whether the stored rules have an invalid wildcard host. These were not always checked, so stored ones are accepted. */
function hadBadWildcardRule(old: IngressSpec | undefined): boolean {
  return (old?.rules ?? []).some(
    (rule) => (rule.host ?? '').includes('*') && collect((out) => httpErrors(out, '', rule)).length > 0,
  );
}

function specErrors(out: Out, spec: IngressSpec, old: IngressSpec | undefined): void {
  const rules = spec.rules ?? [];
  if (rules.length === 0 && !isSet(spec.defaultBackend)) {
    const shown = isGivenEmpty(spec, 'rules') ? [] : goList('networking.k8s.io.v1.IngressRule', spec.rules);
    out.push(field.invalid('spec', shown, 'either `defaultBackend` or `rules` must be specified'));
  }
  if (isSet(spec.defaultBackend)) backendErrors(out, 'spec.defaultBackend', spec.defaultBackend);
  const anyWildcardRule = hadBadWildcardRule(old);
  checkEach(out, rules, (out, rule, i) => ruleErrors(out, `spec.rules[${i}]`, rule, anyWildcardRule));
  const hadBadSecret = (old?.tls ?? []).some(
    (entry) => (entry.secretName ?? '') !== '' && isDNS1123Subdomain(entry.secretName ?? '').length > 0,
  );
  checkEach(out, spec.tls ?? [], (out, entry, i) => tlsErrors(out, `spec.tls[${i}]`, entry, hadBadSecret));
  pointerName(out, 'spec.ingressClassName', spec.ingressClassName, isDNS1123Subdomain);
}

const classAnnotation = 'kubernetes.io/ingress.class';

/** https://kubernetes.io/docs/concepts/services-networking/ingress/ */
export function validateIngress(ingress: Ingress): FieldError[] {
  return collect((out) => {
    specErrors(out, ingress.spec ?? {}, undefined);
    const annotation = ingress.metadata.annotations?.[classAnnotation];
    const name = ingress.spec?.ingressClassName;
    if (annotation !== undefined && isSet(name) && name !== annotation) {
      const detail = 'must match `ingressClassName` when both are specified';
      out.push(field.invalid(`annotations.${classAnnotation}`, annotation, detail));
    }
  });
}

export const validateIngressUpdate = (ingress: Ingress, old: Ingress): FieldError[] =>
  collect((out) => specErrors(out, ingress.spec ?? {}, old.spec ?? {}));

export function validateIngressStatus(ingress: Ingress, old: Ingress): FieldError[] {
  return collect((out) => {
    const ingressOf = ({ status }: Ingress) => status?.loadBalancer?.ingress ?? [];
    const stored = new Set(ingressOf(old).map((entry) => entry.ip ?? ''));
    checkEach(out, ingressOf(ingress), (out, entry, i) => {
      const path = `status.loadBalancer.ingress[${i}]`;
      const ip = entry.ip ?? '';
      if (ip !== '' && !stored.has(ip)) invalidEach(out, `${path}.ip`, ip, legacyIpMessages(ip));
      optionalName(out, `${path}.hostname`, entry.hostname, isDNS1123Subdomain);
      if (parseIpLoosely(entry.hostname ?? '') !== undefined) {
        out.push(field.invalid(`${path}.hostname`, entry.hostname, notAnIp));
      }
    });
  });
}
