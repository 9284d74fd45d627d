import { field, isValidPortName, isValidPortNum, type FieldError, type KubeObject } from '@apichain/meta';
import { at, integer, isSet, type Plain, record, records, text, texts } from '@apichain/kinds';
import { contains, parseCidrLoosely } from '@apichain/go-text';
import { legacyCidrMessages } from '../cidr.ts';
import { checkEach, choice, collect, invalidEach, type Out } from '../common/rules.ts';
import { hasBadSelectorValues, labelSelectorErrors } from '../common/selectors.ts';

function portErrors(out: Out, path: string, entry: Plain): void {
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
  invalidEach(out, `${path}.port`, port, isValidPortNum(integer(port)));
  if (!isSet(endPort)) return;
  if (integer(endPort) < integer(port)) {
    out.push(field.invalid(`${path}.endPort`, port, 'must be greater than or equal to `port`'));
  }
  invalidEach(out, `${path}.endPort`, endPort, isValidPortNum(integer(endPort)));
}

/** As written: that of an IPv4 range in IPv6 clothing counts 128 bits. */
const maskLength = (cidr: string): number => Number(cidr.slice(cidr.indexOf('/') + 1));

function blockErrors(out: Out, path: string, value: unknown, stored: ReadonlySet<string>): void {
  const block = record(value);
  const cidr = text(block.cidr);
  if (cidr === '') {
    out.push(field.required(`${path}.cidr`));
    return;
  }
  const messages = stored.has(cidr) ? [] : legacyCidrMessages(cidr);
  invalidEach(out, `${path}.cidr`, cidr, messages);
  // A range that reads is looked into even when its spelling is refused.
  const range = parseCidrLoosely(cidr);
  if (range === undefined) return;
  checkEach(out, texts(block.except), (out, except, k) => {
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

function peerErrors(out: Out, path: string, peer: Plain, stored: ReadonlySet<string>): void {
  let peers = 0;
  for (const name of ['podSelector', 'namespaceSelector']) {
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

const directions = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const;

function storedCidrs(spec: unknown): Set<string> {
  const blocks = directions.flatMap(([direction, peers]) =>
    records(record(spec)[direction]).flatMap((rule) => records(rule[peers]).map((peer) => record(peer.ipBlock))),
  );
  return new Set(blocks.flatMap((block) => [...texts([block.cidr]), ...texts(block.except)]));
}

/** https://kubernetes.io/docs/concepts/services-networking/network-policies/ */
export function validateNetworkPolicy(policy: KubeObject, old?: KubeObject): FieldError[] {
  return collect((out) => {
    const spec = record(policy.spec);
    const stored = storedCidrs(old?.spec);
    const anyValues = hasBadSelectorValues(at(old?.spec, 'podSelector'));
    labelSelectorErrors(out, 'spec.podSelector', spec.podSelector, anyValues);
    for (const [direction, peers] of directions) {
      checkEach(out, records(spec[direction]), (out, rule, i) => {
        const path = `spec.${direction}[${i}]`;
        checkEach(out, records(rule.ports), (out, port, j) => portErrors(out, `${path}.ports[${j}]`, port));
        checkEach(out, records(rule[peers]), (out, peer, j) => peerErrors(out, `${path}.${peers}[${j}]`, peer, stored));
      });
    }
    const types = texts(spec.policyTypes);
    if (types.length > 2) {
      out.push(field.invalid('spec.policyTypes', types, 'may not specify more than two policyTypes'));
      return;
    }
    checkEach(out, types, (out, type, i) => choice(out, `spec.policyTypes[${i}]`, type, ['Ingress', 'Egress']));
  });
}
