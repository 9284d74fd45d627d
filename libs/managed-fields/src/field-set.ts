import {
  canonicalPathElement,
  comparePathElements,
  isCanonicalElement,
  isInOrder,
  sortPathElements,
  type PathElement,
} from './path-element.ts';
import { isEmptyObject, isObject, type PlainObject } from './values.ts';

/**
 * A set of field paths as a trie in the form of FieldsV1, so that the stored form needs no conversion. A node without children is a member; a node
 * with children is a member only if it contains `.`. Sets are immutable: operations share unchanged parts, and return an operand itself where
 * possible.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}
export type FieldSetBuilder = Record<PathElement, FieldSet>;

export const memberMark = '.';
/** A member without children; at the root, the empty set. */
export const leaf: FieldSet = Object.freeze({});
export const emptySet = leaf;

/** The mark is checked first, because enumerating an object takes time proportional to its members. */
export const isEmpty = (set: FieldSet): boolean =>
  set === leaf || (set[memberMark] === undefined && isEmptyObject(set));
const isLeaf = isEmpty;
export const isMember = (node: FieldSet): boolean => node[memberMark] !== undefined || isLeaf(node);

/** The node with the mark that makes it a member of its parent. */
export const asMember = (node: FieldSet): FieldSet => (isMember(node) ? node : { [memberMark]: leaf, ...node });

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
    const node = left === undefined ? right : left === right ? left : unionNodes(left, right);
    if (node !== left) (out ??= copyOf(a))[element] = node;
  }
  return out ?? a;
}

function copyOf(set: FieldSet): FieldSetBuilder {
  const out: FieldSetBuilder = {};
  for (const element in set) out[element] = set[element] ?? leaf;
  return out;
}

/** The union of many sets, in linear time. Repeated unions of two sets would copy the intermediate result each time. */
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

export const intersection = (a: FieldSet, b: FieldSet): FieldSet => intersect(a, b, false);

/** `marked`: nodes of the result that have children get the mark of a member. */
function intersect(a: FieldSet, b: FieldSet, marked: boolean): FieldSet {
  if (a === b) return a;
  let out: FieldSetBuilder | undefined;
  for (const element in a) {
    if (element === memberMark) continue;
    const right = b[element];
    const left = a[element];
    if (left === undefined || right === undefined) continue;
    const isShared = left === right || (isLeaf(left) && isMember(right));
    const node = isShared ? left : intersectionOfNodes(left, right);
    if (node !== undefined) (out ??= marked ? { [memberMark]: leaf } : {})[element] = node;
  }
  return out ?? emptySet;
}

function intersectionOfNodes(a: FieldSet, b: FieldSet): FieldSet | undefined {
  const member = isMember(a) && isMember(b);
  const node = intersect(a, b, member);
  return node !== emptySet || member ? node : undefined;
}

type Subtract = (node: FieldSet, other: FieldSet) => FieldSet | undefined;

/** Takes time proportional to the elements of `a`, so that it is efficient to subtract one large set from many small ones. */
function subtract(a: FieldSet, b: FieldSet, nodes: Subtract, keepsMark = true): FieldSet {
  if (a === leaf || (b === leaf && keepsMark)) return a;
  let out: FieldSetBuilder | undefined;
  for (const element in a) {
    const left = a[element] ?? leaf;
    const isMark = element === memberMark;
    const right = isMark ? undefined : b[element];
    let node: FieldSet | undefined = left;
    if (right !== undefined) node = isLeaf(left) && isMember(right) ? undefined : nodes(left, right);
    else if (isMark && !keepsMark) node = undefined;
    // The remaining elements are collected in a new object: deleting most members of a large object costs more than creating a small one.
    if (node !== left) out ??= elementsBefore(a, element);
    if (out !== undefined && node !== undefined) out[element] = node;
  }
  return out ?? a;
}

/** The elements of a set before one of its elements, in a new object. */
export function elementsBefore(set: FieldSet, end: PathElement): FieldSetBuilder {
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
  return nodeOf(subtract(node, other, differenceOfNodes, stays), stays);
}

/** The remainder of a node that may have lost its children; undefined when nothing remains. */
function nodeOf(rest: FieldSet, member: boolean): FieldSet | undefined {
  if (hasChildren(rest)) return rest;
  return member ? leaf : undefined;
}

/** The members of `a` that are not members of `b`. Children of a member of `b` are kept. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet => subtract(a, b, differenceOfNodes);

function recursiveDifferenceOfNodes(node: FieldSet, other: FieldSet): FieldSet | undefined {
  if (isMember(other)) return undefined;
  const rest = recursiveDifference(node, other);
  return rest === node ? node : nodeOf(rest, isMember(node));
}

/** Like `difference`, and also removes everything below a member of `b`. */
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

/** The paths of all members, in order: the members of a node first, then the paths below them. */
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

/** Whether the set is already in the order in which it is written. */
function isWritten(set: FieldSet): boolean {
  let previous: PathElement | undefined;
  for (const element in set) {
    const node = set[element] ?? leaf;
    if (element === memberMark) {
      if (previous !== undefined) return false;
      continue;
    }
    if (previous !== undefined && !isInOrder(previous, element)) return false;
    if (node !== leaf && !isWritten(node)) return false;
    previous = element;
  }
  return true;
}

/** The set with its elements in the order in which it is written. Returns the same set if it is already in order. */
export const toFieldsV1 = (set: FieldSet): FieldSet => (isWritten(set) ? set : inOrder(set));

/** Whether the elements of one node are in order, regardless of the position of its mark. */
function areInOrder(set: FieldSet): boolean {
  let previous: PathElement | undefined;
  for (const element in set) {
    if (element === memberMark) continue;
    if (previous !== undefined && comparePathElements(previous, element) > 0) return false;
    previous = element;
  }
  return true;
}

function inOrder(set: FieldSet): FieldSet {
  const out: FieldSetBuilder = {};
  if (set[memberMark] !== undefined) out[memberMark] = leaf;
  const elements = areInOrder(set) ? Object.keys(set) : sortedElements(set);
  for (const element of elements) {
    const node = set[element] ?? leaf;
    // The mark has already been added first.
    if (element !== memberMark) out[element] = isLeaf(node) ? node : inOrder(node);
  }
  return out;
}

/** Parses FieldsV1. Ignores elements of unknown kinds. Throws Error when the input is malformed. */
export function parseFieldsV1(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return emptySet;
  const node = parseNode(fields);
  if (node[memberMark] === undefined) return node;
  const { [memberMark]: _, ...children } = node;
  return children;
}

/** Whether a node is in this library's canonical form and order, as nearly all are. Such a node is used without a copy. */
function isCanonicalNode(node: PlainObject): node is PlainObject & FieldSet {
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
    if (!(isField || isCanonicalElement(element)) || !isObject(child)) return false;
    if (!isEmptyObject(child) && !isCanonicalNode(child)) return false;
    if (last !== undefined && !isInOrder(last, element)) return false;
    last = element;
  }
  return !isMarkOnly;
}

function parseNode(node: unknown): FieldSet {
  if (!isObject(node)) throw new Error('expect { or n, but found something else');
  return isCanonicalNode(node) ? node : respelled(node);
}

function respelled(node: PlainObject): FieldSet {
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
