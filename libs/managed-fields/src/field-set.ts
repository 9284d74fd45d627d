import {
  canonicalPathElement,
  comparePathElements,
  isCanonicalElement,
  isInOrder,
  sortPathElements,
  type PathElement,
} from './path-element.ts';
import { isEmptyObject, isObject } from './values.ts';

/**
 * A set of field paths as a trie in the very shape of FieldsV1, so that what is stored needs no translation. A node
 * without children is a member; a node with children is a member only if it holds `.`. Sets are immutable: operations
 * share what they do not change, and answer with an operand itself where they can.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}
export type FieldSetBuilder = Record<PathElement, FieldSet>;

export const memberMark = '.';
/** A member without children; at the root, the empty set. */
export const leaf: FieldSet = Object.freeze({});
export const emptySet = leaf;

/** Enumerating a large object costs as much as it has members, so the mark is asked for first. */
export const isEmpty = (set: FieldSet): boolean =>
  set === leaf || (set[memberMark] === undefined && isEmptyObject(set));
const isLeaf = isEmpty;
export const isMember = (node: FieldSet): boolean => node[memberMark] !== undefined || isLeaf(node);

/** The node as a member of its parent, whatever it was before. */
export const asMember = (node: FieldSet): FieldSet => (isMember(node) ? node : { [memberMark]: leaf, ...node });

/** The node with or without the mark of a member; undefined when nothing of it is left. */
function withMembership(node: FieldSet, member: boolean): FieldSet | undefined {
  const isMarked = node[memberMark] !== undefined;
  if (!hasChildren(node)) return member ? leaf : undefined;
  if (isMarked === member) return node;
  if (member) return { [memberMark]: leaf, ...node };
  const { [memberMark]: _, ...children } = node;
  return children;
}

function hasChildren(node: FieldSet): boolean {
  for (const element in node) if (element !== memberMark) return true;
  return false;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  return isEmpty(a) ? b : unionOfElements(a, b);
}

function unionOfElements(a: FieldSet, b: FieldSet): FieldSet {
  let out: FieldSetBuilder | undefined;
  for (const element in b) {
    const left = a[element];
    const right = b[element] ?? leaf;
    const node = left === undefined ? right : unionNodes(left, right);
    if (node !== left) (out ??= { ...a })[element] = node;
  }
  return out ?? a;
}

/**
 * The union of many sets. Linear in all of them together; one union after the other would copy what has been gathered
 * every time.
 */
export function unionAll(sets: readonly FieldSet[]): FieldSet {
  const [first = emptySet, second = emptySet] = sets;
  if (sets.length <= 2) return union(first, second);
  const nodes = new Map<PathElement, FieldSet | FieldSet[]>();
  for (const set of sets) {
    for (const element in set) {
      const node = set[element] ?? leaf;
      const known = nodes.get(element);
      if (known === undefined) nodes.set(element, node);
      else if (Array.isArray(known)) known.push(node);
      else if (known !== node) nodes.set(element, [known, node]);
    }
  }
  const out: FieldSetBuilder = {};
  for (const [element, node] of nodes) out[element] = isNodes(node) ? unionOfNodes(node) : node;
  return out;
}

const isNodes = (node: FieldSet | readonly FieldSet[]): node is readonly FieldSet[] => Array.isArray(node);

function unionOfNodes(nodes: readonly FieldSet[]): FieldSet {
  const all = unionAll(nodes.filter((node) => !isLeaf(node)));
  return nodes.some(isLeaf) ? asMember(all) : all;
}

function unionNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (isLeaf(a)) return asMember(b);
  if (isLeaf(b)) return asMember(a);
  return unionOfElements(a, b);
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  let out: FieldSetBuilder | undefined;
  for (const element in a) {
    if (element === memberMark) continue;
    const right = b[element];
    const left = a[element];
    if (left === undefined || right === undefined) continue;
    const node = left === right ? left : intersectionOfNodes(left, right);
    if (node !== undefined) (out ??= {})[element] = node;
  }
  return out ?? emptySet;
}

function intersectionOfNodes(a: FieldSet, b: FieldSet): FieldSet | undefined {
  const children = intersection(a, b);
  const member = isMember(a) && isMember(b);
  if (isEmpty(children)) return member ? leaf : undefined;
  return member ? { [memberMark]: leaf, ...children } : children;
}

type Subtract = (node: FieldSet, other: FieldSet) => FieldSet | undefined;

/** As many steps as `a` has elements, so that one large set can be taken from many small ones. */
function subtract(a: FieldSet, b: FieldSet, nodes: Subtract): FieldSet {
  if (a === leaf || b === leaf) return a;
  let out: FieldSetBuilder | undefined;
  for (const element in a) {
    const left = a[element] ?? leaf;
    const right = element === memberMark ? undefined : b[element];
    const node = right === undefined ? left : nodes(left, right);
    // What stays is gathered, because deleting most of a large object costs more than making a small one.
    if (node !== left) out ??= elementsBefore(a, element);
    if (out !== undefined && node !== undefined) out[element] = node;
  }
  return out ?? a;
}

function elementsBefore(set: FieldSet, end: PathElement): FieldSetBuilder {
  const out: FieldSetBuilder = {};
  for (const element in set) {
    if (element === end) break;
    out[element] = set[element] ?? leaf;
  }
  return out;
}

function differenceOfNodes(node: FieldSet, other: FieldSet): FieldSet | undefined {
  const member = isMember(node);
  const stays = member && !isMember(other);
  const rest = difference(node, other);
  return rest === node && stays === member ? node : withMembership(rest, stays);
}

/** The members of `a` that are not members of `b`; a parent in `b` does not take its children along. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet => subtract(a, b, differenceOfNodes);

function recursiveDifferenceOfNodes(node: FieldSet, other: FieldSet): FieldSet | undefined {
  if (isMember(other)) return undefined;
  const rest = recursiveDifference(node, other);
  return rest === node ? node : withMembership(rest, isMember(node));
}

/** As `difference`, and what lies below a member of `b` goes too. */
export const recursiveDifference = (a: FieldSet, b: FieldSet): FieldSet => subtract(a, b, recursiveDifferenceOfNodes);

export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = node[element];
    if (node === undefined) return false;
  }
  return path.length > 0 && isMember(node);
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  const elements = Object.keys(a);
  if (elements.length !== Object.keys(b).length) return false;
  return elements.every((element) => {
    const left = a[element];
    const right = b[element];
    return left !== undefined && right !== undefined && equalSets(left, right);
  });
}

/** Members that have no members below them. */
export function leaves(set: FieldSet): FieldSet {
  const out: FieldSetBuilder = {};
  for (const element in set) {
    const node = set[element];
    if (element === memberMark || node === undefined) continue;
    out[element] = isLeaf(node) ? leaf : leaves(node);
  }
  return out;
}

const sortedElements = (set: FieldSet): PathElement[] =>
  sortPathElements(Object.keys(set).filter((element) => element !== memberMark));

/** Every member's path in order: the members of a node first, then what lies below them. */
export function paths(set: FieldSet): PathElement[][] {
  const out: PathElement[][] = [];
  collectPaths(set, [], out);
  return out;
}

function collectPaths(set: FieldSet, prefix: readonly PathElement[], out: PathElement[][]): void {
  const elements = sortedElements(set);
  for (const element of elements) if (isMember(set[element] ?? leaf)) out.push([...prefix, element]);
  for (const element of elements) {
    const node = set[element] ?? leaf;
    if (!isLeaf(node)) collectPaths(node, [...prefix, element], out);
  }
}

export function setOf(members: readonly (readonly PathElement[])[]): FieldSet {
  return unionAll(members.map((path) => path.reduceRight<FieldSet>((node, element) => ({ [element]: node }), leaf)));
}

function isSorted(elements: readonly PathElement[]): boolean {
  for (let i = 1; i < elements.length; i++) {
    const previous = elements[i - 1] ?? '';
    if (previous !== memberMark && comparePathElements(previous, elements[i] ?? '') > 0) return false;
  }
  return true;
}

/** The set with its elements in the order in which it is written; itself when they are already. */
export function toFieldsV1(set: FieldSet): FieldSet {
  const elements = Object.keys(set);
  const mark = elements.indexOf(memberMark);
  const ordered = mark <= 0 && isSorted(elements) ? elements : undefined;
  let changed = ordered === undefined;
  const out: FieldSetBuilder = {};
  if (mark >= 0) out[memberMark] = leaf;
  for (const element of ordered ?? sortedElements(set)) {
    if (element === memberMark) continue;
    const node = set[element] ?? leaf;
    const written = isLeaf(node) ? node : toFieldsV1(node);
    if (written !== node) changed = true;
    out[element] = written;
  }
  return changed ? out : set;
}

/** Reads FieldsV1. Elements of unknown kinds are dropped. Throws Error when it is malformed. */
export function parseFieldsV1(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return emptySet;
  const node = parseNode(fields);
  return node[memberMark] === undefined ? node : (withMembership(node, false) ?? emptySet);
}

/** Whether a node is spelled and in the order as this library writes it, as nearly all are; then it is used as it stands. */
function isCanonicalNode(node: unknown): node is FieldSet {
  if (!isObject(node)) return false;
  let isMarkOnly = false;
  let last: PathElement | undefined;
  for (const element in node) {
    const child = node[element];
    if (element === memberMark) {
      if (last !== undefined || !isObject(child) || !isEmptyObject(child)) return false;
      isMarkOnly = true;
      continue;
    }
    isMarkOnly = false;
    const isField = element.charCodeAt(0) === 102 && element.charCodeAt(1) === 58;
    if (!(isField || isCanonicalElement(element)) || !isCanonicalNode(child)) return false;
    if (last !== undefined && !isInOrder(last, element)) return false;
    last = element;
  }
  return !isMarkOnly;
}

function parseNode(node: unknown): FieldSet {
  if (isCanonicalNode(node)) return node;
  if (!isObject(node)) throw new Error('expect { or n, but found something else');
  const out: FieldSetBuilder = {};
  for (const element of Object.keys(node)) {
    if (element === memberMark) {
      out[memberMark] = leaf;
      continue;
    }
    const canonical = canonicalPathElement(element);
    if (canonical === undefined) continue;
    const child = parseNode(node[element] ?? {});
    const known = out[canonical];
    out[canonical] = known === undefined ? child : unionNodes(known, child);
  }
  const keys = Object.keys(out);
  return keys.length === 0 || (keys.length === 1 && keys[0] === memberMark) ? leaf : out;
}
