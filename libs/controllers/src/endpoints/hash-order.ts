import type { EndpointAddress, EndpointPort, EndpointSubset, ObjectReference } from '@apichain/api/core/v1';
import type { EndpointPort as SlicePort } from '@apichain/api/discovery/v1';

/*
 * kube-controller-manager orders ports and subsets by hashes of how Go prints them. Its comparison of what it wants with what there is depends on that
 * order, so endpoints that it is to take over have the same.
 */

const prime = (1n << 88n) + 0x13bn;
const offset = 0x6c62272e07bb014262b821756295c58dn;
const mask = (1n << 128n) - 1n;

/** FNV-1a of 128 bits, over the bytes of a text in UTF-8: http://www.isthe.com/chongo/tech/comp/fnv/ */
export function fnv128a(text: string): bigint {
  let hash = offset;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * prime) & mask;
  return hash;
}

/** In the order of the hashes of the texts that `print` makes of the items. */
function byHash<T>(items: readonly T[], print: (item: T) => string): T[] {
  if (items.length < 2) return [...items];
  const hashed = items.map((item) => ({ item, hash: fnv128a(print(item)) }));
  return hashed.sort((a, b) => (a.hash < b.hash ? -1 : Number(a.hash > b.hash))).map(({ item }) => item);
}

const pointer = (type: string, value: string | number | undefined) => `(*${type})${value ?? '<nil>'}`;

const printPort = ({ name = '', port = 0, protocol = '', appProtocol }: EndpointPort): string =>
  `{Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol} AppProtocol:${pointer('string', appProtocol)}}`;

const printSlicePort = ({ name, port, protocol, appProtocol }: SlicePort): string =>
  `(v1.EndpointPort){Name:${pointer('string', name)} Protocol:${pointer('v1.Protocol', protocol)} Port:${pointer('int32', port)} AppProtocol:${pointer('string', appProtocol)}}`;

function printReference(reference: ObjectReference | undefined): string {
  if (reference === undefined) return '(*v1.ObjectReference)<nil>';
  const {
    kind = '',
    namespace = '',
    name = '',
    uid = '',
    apiVersion = '',
    resourceVersion = '',
    fieldPath = '',
  } = reference;
  const identity = `Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid}`;
  const version = `APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion}`;
  return `(*v1.ObjectReference){${identity} ${version} FieldPath:(string)${fieldPath}}`;
}

const printAddress = ({ ip = '', hostname = '', nodeName, targetRef }: EndpointAddress): string =>
  `{IP:(string)${ip} Hostname:(string)${hostname} NodeName:${pointer('string', nodeName)} TargetRef:${printReference(targetRef)}}`;

const printList = <T>(type: string, items: readonly T[] | undefined, print: (item: T) => string): string =>
  `([]v1.${type})${items === undefined || items.length === 0 ? '<nil>' : `[${items.map(print).join(' ')}]`}`;

function printSubset({ addresses, notReadyAddresses, ports }: EndpointSubset): string {
  const ready = printList('EndpointAddress', addresses, printAddress);
  const notReady = printList('EndpointAddress', notReadyAddresses, printAddress);
  const numbers = printList('EndpointPort', ports, printPort);
  return `(v1.EndpointSubset){Addresses:${ready} NotReadyAddresses:${notReady} Ports:${numbers}}`;
}

/** Ports of Endpoints in their canonical order. */
export const sortPorts = (ports: readonly EndpointPort[]): EndpointPort[] =>
  byHash(ports, (port) => `(v1.EndpointPort)${printPort(port)}`);

/** Ports of an EndpointSlice in their canonical order. */
export const sortSlicePorts = (ports: readonly SlicePort[]): SlicePort[] => byHash(ports, printSlicePort);

/** Subsets of Endpoints in their canonical order. */
export const sortSubsets = (subsets: readonly EndpointSubset[]): EndpointSubset[] => byHash(subsets, printSubset);
