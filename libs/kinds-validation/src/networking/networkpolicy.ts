import type {
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
  IPBlock,
} from '@apichain/api/networking/v1';
import { field, isValidPortName, isValidPortNum, type FieldError } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { contains, parseCidrLoosely } from '@apichain/go-text';
import { legacyCidrMessages } from '../cidr.ts';
import { checkEach, choice, collect, invalidEach, type Out } from '../common/rules.ts';
import { hasBadSelectorValues, labelSelectorErrors } from '../common/selectors.ts';

function portErrors(out: Out, path: string, entry: NetworkPolicyPort): void {
  const { port, endPort } = entry;
  choice(out, `${path}.protocol`, entry.protocol, ['TCP', 'UDP', 'SCTP']);
  if (!isSet(port)) {
    if (isSet(endPort)) {
      out.push(field.invalid(`${path}.endPort`, endPort, 'may not be specified when `port` is not specified'));
    }
    return;
  }
  if (typeof port === 'string') {
    if (isSet(endPort)) {
      out.push(field.invalid(`${path}.endPort`, endPort, 'may not be specified when `port` is non-numeric'));
    }
    invalidEach(out, `${path}.port`, port, isValidPortName(port));
    return;
  }
  invalidEach(out, `${path}.port`, port, isValidPortNum(port ?? 0));
  if (!isSet(endPort)) return;
  if ((endPort ?? 0) < (port ?? 0)) {
    out.push(field.invalid(`${path}.endPort`, port, 'must be greater than or equal to `port`'));
  }
  invalidEach(out, `${path}.endPort`, endPort, isValidPortNum(endPort ?? 0));
}

/** The prefix length as written: in an IPv4-mapped IPv6 range it counts 128 bits. */
const maskLength = (cidr: string): number => Number(cidr.slice(cidr.indexOf('/') + 1));

function blockErrors(out: Out, path: string, block: IPBlock, stored: ReadonlySet<string>): void {
  const cidr = block.cidr ?? '';
  if (cidr === '') {
    out.push(field.required(`${path}.cidr`));
    return;
  }
  const messages = stored.has(cidr) ? [] : legacyCidrMessages(cidr);
  invalidEach(out, `${path}.cidr`, cidr, messages);
  // A range that can be parsed is checked further, even if its form is rejected.
  const range = parseCidrLoosely(cidr);
  if (range === undefined) return;
  checkEach(out, block.except ?? [], (out, except, k) => {
    const at = `${path}.except[${k}]`;
    const found = stored.has(except) ? [] : legacyCidrMessages(except);
    invalidEach(out, at, except, found);
    const inner = parseCidrLoosely(except);
    if (inner === undefined) return;
    const inside = contains(range, { family: inner.family, value: inner.base });
    if (!inside || maskLength(cidr) >= maskLength(except)) {
      out.push(field.invalid(at, except, 'must be a strict subset of `cidr`'));
    }
  });
}

function peerErrors(out: Out, path: string, peer: NetworkPolicyPeer, stored: ReadonlySet<string>): void {
  let peers = 0;
  for (const name of ['podSelector', 'namespaceSelector'] as const) {
    if (!isSet(peer[name])) continue;
    peers++;
    labelSelectorErrors(out, `${path}.${name}`, peer[name]);
  }
  if (isSet(peer.ipBlock)) {
    peers++;
    blockErrors(out, `${path}.ipBlock`, peer.ipBlock, stored);
  }
  if (peers === 0) out.push(field.required(path, 'must specify a peer'));
  else if (peers > 1 && isSet(peer.ipBlock)) {
    out.push(field.forbidden(path, 'may not specify both ipBlock and another peer'));
  }
}

function storedCidrs({ ingress, egress }: NetworkPolicySpec): Set<string> {
  const peers = [...(ingress ?? []).flatMap(({ from }) => from ?? []), ...(egress ?? []).flatMap(({ to }) => to ?? [])];
  const blocks = peers.map(({ ipBlock }) => ipBlock ?? {});
  return new Set(blocks.flatMap(({ cidr, except }) => [...(cidr === undefined ? [] : [cidr]), ...(except ?? [])]));
}

function directionErrors<Rule extends { readonly ports?: NetworkPolicyPort[] }>(
  out: Out,
  path: string,
  rules: readonly Rule[] | undefined,
  peersOfRule: (rule: Rule) => readonly [name: string, peers: readonly NetworkPolicyPeer[] | undefined],
  stored: ReadonlySet<string>,
): void {
  checkEach(out, rules ?? [], (out, rule, i) => {
    const at = `${path}[${i}]`;
    checkEach(out, rule.ports ?? [], (out, port, j) => portErrors(out, `${at}.ports[${j}]`, port));
    const [name, peers = []] = peersOfRule(rule);
    checkEach(out, peers, (out, peer, j) => peerErrors(out, `${at}.${name}[${j}]`, peer, stored));
  });
}

/** https://kubernetes.io/docs/concepts/services-networking/network-policies/ */
export function validateNetworkPolicy(policy: NetworkPolicy, old?: NetworkPolicy): FieldError[] {
  return collect((out) => {
    const spec = policy.spec ?? {};
    const stored = storedCidrs(old?.spec ?? {});
    const anyValues = hasBadSelectorValues(old?.spec?.podSelector);
    labelSelectorErrors(out, 'spec.podSelector', spec.podSelector, anyValues);
    directionErrors(out, 'spec.ingress', spec.ingress, ({ from }) => ['from', from], stored);
    directionErrors(out, 'spec.egress', spec.egress, ({ to }) => ['to', to], stored);
    const types = spec.policyTypes ?? [];
    if (types.length > 2) {
      out.push(field.invalid('spec.policyTypes', types, 'may not specify more than two policyTypes'));
      return;
    }
    checkEach(out, types, (out, type, i) => choice(out, `spec.policyTypes[${i}]`, type, ['Ingress', 'Egress']));
  });
}
