import type { EndpointAddress, EndpointPort, Endpoints } from '@apichain/api/core/v1';
import { isSet } from '@apichain/kinds';
import {
  field,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidPortNum,
  semanticEqual,
  type FieldError,
} from '@apichain/meta';
import { checkEach, collect } from './common/rules.ts';
import { endpointIpErrors } from './endpoint-ips.ts';
import { legacyIpMessages } from './service-cluster-ips.ts';

const messages = (path: string, value: unknown, found: readonly string[]): FieldError[] =>
  found.map((message) => field.invalid(path, value, message));

function endpointAddressErrors(path: string, address: EndpointAddress): FieldError[] {
  const ip = address.ip ?? '';
  const hostname = address.hostname ?? '';
  return [
    ...messages(`${path}.ip`, ip, legacyIpMessages(ip)),
    ...(hostname === '' ? [] : messages(`${path}.hostname`, hostname, isDNS1123Label(hostname))),
    ...(isSet(address.nodeName)
      ? messages(`${path}.nodeName`, address.nodeName, isDNS1123Subdomain(address.nodeName ?? ''))
      : []),
    ...endpointIpErrors(`${path}.ip`, ip),
  ];
}

function endpointPortErrors(path: string, port: EndpointPort, several: boolean): FieldError[] {
  const name = port.name ?? '';
  const protocol = port.protocol ?? '';
  const errors: FieldError[] = [];
  if (name !== '') errors.push(...messages(`${path}.name`, name, isDNS1123Label(name)));
  else if (several) errors.push(field.required(`${path}.name`));
  errors.push(...messages(`${path}.port`, port.port ?? 0, isValidPortNum(port.port ?? 0)));
  if (protocol === '') errors.push(field.required(`${path}.protocol`));
  else if (!['SCTP', 'TCP', 'UDP'].includes(protocol)) {
    errors.push(field.notSupported(`${path}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']));
  }
  if (isSet(port.appProtocol)) {
    errors.push(...messages(`${path}.appProtocol`, port.appProtocol, isQualifiedName(port.appProtocol ?? '')));
  }
  return errors;
}

/** Checks the addresses and ports of each subset. */
export function validateEndpoints(endpoints: Endpoints): FieldError[] {
  return collect((out) =>
    checkEach(out, endpoints.subsets ?? [], (ofSubset, subset, i) => {
      const path = `subsets[${i}]`;
      const ports = subset.ports ?? [];
      if ((subset.addresses ?? []).length === 0 && (subset.notReadyAddresses ?? []).length === 0) {
        ofSubset.push(field.required(path, 'must specify `addresses` or `notReadyAddresses`'));
      }
      for (const kind of ['addresses', 'notReadyAddresses'] as const) {
        checkEach(ofSubset, subset[kind] ?? [], (found, address, j) =>
          found.push(...endpointAddressErrors(`${path}.${kind}[${j}]`, address)),
        );
      }
      checkEach(ofSubset, ports, (found, port, j) =>
        found.push(...endpointPortErrors(`${path}.ports[${j}]`, port, ports.length > 1)),
      );
    }),
  );
}

/** Subsets that an update does not change are not validated again. */
export const validateEndpointsUpdate = (endpoints: Endpoints, old: Endpoints): FieldError[] =>
  semanticEqual(endpoints.subsets, old.subsets) ? [] : validateEndpoints(endpoints);
