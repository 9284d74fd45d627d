import type { EndpointPort } from '@apichain/api/core/v1';
import type { Endpoint, EndpointSlice, ForNode, ForZone } from '@apichain/api/discovery/v1';
import {
  field,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  type FieldError,
} from '@apichain/meta';
import { parseIpLoosely } from '@apichain/go-text';
import { semanticEqual } from '@apichain/meta';
import { fullyQualifiedDomainName } from '../common/formats.ts';
import {
  checkEach,
  collect,
  givenChoice,
  immutable,
  invalidEach,
  labelMap,
  type Out,
  pointerName,
  requiredChoice,
} from '../common/rules.ts';
import { endpointIpErrors } from '../endpoint-ips.ts';
import { canonicalIpMessages, legacyIpMessages } from '../service-cluster-ips.ts';

const mostPorts = 20000;
const mostEndpoints = 1000;
const mostAddresses = 100;
const mostTopology = 16;
const mostHints = 8;

function portErrors(out: Out, ports: EndpointPort[]): void {
  if (ports.length > mostPorts) {
    out.push(field.tooMany('ports', ports.length, mostPorts));
    return;
  }
  const names = new Set<string>();
  checkEach(out, ports, (out, port, i) => {
    const path = `ports[${i}]`;
    const name = port.name ?? '';
    if (name !== '') invalidEach(out, `${path}.name`, name, isDNS1123Label(name));
    if (names.has(name)) out.push(field.duplicate(`${path}.name`, name));
    names.add(name);
    givenChoice(out, `${path}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']);
    pointerName(out, `${path}.appProtocol`, port.appProtocol, isQualifiedName);
  });
}

function addressErrors(out: Out, path: string, addresses: readonly string[], type: string): void {
  if (addresses.length === 0) out.push(field.required(path, 'must contain at least 1 address'));
  else if (addresses.length > mostAddresses) out.push(field.tooMany(path, addresses.length, mostAddresses));
  checkEach(out, addresses, (out, address, j) => {
    const at = `${path}[${j}]`;
    if (type === 'FQDN') fullyQualifiedDomainName(out, at, address);
    else if (type === 'IPv4' || type === 'IPv6') ipErrors(out, path, at, address, type);
  });
}

function ipErrors(out: Out, path: string, at: string, address: string, type: 'IPv4' | 'IPv6'): void {
  const messages = type === 'IPv6' ? canonicalIpMessages(address) : legacyIpMessages(address);
  invalidEach(out, at, address, messages);
  if (messages.length > 0) return;
  if (`IPv${parseIpLoosely(address)?.family}` !== type) {
    out.push(field.invalid(path, address, `must be an ${type} address`));
  }
  out.push(...endpointIpErrors(at, address));
}

function hintErrors(
  out: Out,
  path: string,
  hints: readonly (ForZone | ForNode)[] | undefined,
  rule: (name: string) => string[],
): void {
  const entries = hints ?? [];
  if (entries.length > mostHints) {
    out.push(field.tooMany(path, entries.length, mostHints));
    return;
  }
  const seen = new Set<string>();
  checkEach(out, entries, (out, entry, j) => {
    const name = entry.name ?? '';
    const at = `${path}[${j}].name`;
    if (seen.has(name)) out.push(field.duplicate(at, name));
    else {
      seen.add(name);
      invalidEach(out, at, name, rule(name));
    }
  });
}

function endpointErrors(out: Out, endpoints: Endpoint[], type: string): void {
  if (endpoints.length > mostEndpoints) {
    out.push(field.tooMany('endpoints', endpoints.length, mostEndpoints));
    return;
  }
  checkEach(out, endpoints, (out, endpoint, i) => {
    const path = `endpoints[${i}]`;
    addressErrors(out, `${path}.addresses`, endpoint.addresses ?? [], type);
    pointerName(out, `${path}.nodeName`, endpoint.nodeName, isDNS1123Subdomain);
    const topology = Object.keys(endpoint.deprecatedTopology ?? {}).length;
    if (topology > mostTopology) {
      out.push(field.tooMany(`${path}.deprecatedTopology`, topology, mostTopology));
    }
    labelMap(out, `${path}.deprecatedTopology`, endpoint.deprecatedTopology);
    pointerName(out, `${path}.hostname`, endpoint.hostname, isDNS1123Label);
    const hints = endpoint.hints ?? {};
    hintErrors(out, `${path}.hints.forZones`, hints.forZones, isValidLabelValue);
    hintErrors(out, `${path}.hints.forNodes`, hints.forNodes, isDNS1123Subdomain);
  });
}

/** https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/ */
export function validateEndpointSlice(slice: EndpointSlice, old?: EndpointSlice): FieldError[] {
  return collect((out) => {
    requiredChoice(out, 'addressType', slice.addressType, ['FQDN', 'IPv4', 'IPv6']);
    portErrors(out, slice.ports ?? []);
    if (old === undefined || !semanticEqual(slice.endpoints, old.endpoints)) {
      endpointErrors(out, slice.endpoints ?? [], slice.addressType ?? '');
    }
  });
}

export const validateEndpointSliceUpdate = (slice: EndpointSlice, old: EndpointSlice): FieldError[] => [
  ...validateEndpointSlice(slice, old),
  ...collect((out) => immutable(out, 'addressType', slice.addressType, old.addressType)),
];
