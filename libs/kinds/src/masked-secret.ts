import { isRecord, type KubeObject } from '@apichain/meta';

/** What stands for a value of a Secret, in base64: three asterisks. It does not tell how long the value is. */
export const maskedValue = Buffer.from('***').toString('base64');
/** What stands for an annotation that holds a copy of a Secret. */
export const maskedText = '***';

/** Annotations in which tools keep a copy of what was applied, in a form that does not look like JSON. */
const copies: ReadonlySet<string> = new Set([
  'banzaicloud.com/last-applied',
  'kubectl.kubernetes.io/last-applied-configuration',
  'objectset.rio.cattle.io/applied',
]);

/** Whether an annotation of a Secret may hold its values: a copy of the object in JSON, or in the form of a tool that is known to keep one. */
export const mayHoldSecret = (name: string, value: unknown): boolean =>
  copies.has(name) || (typeof value === 'string' && /^\s*[[{]/.test(value));

/** A Secret whose keys can be seen and whose values cannot: not in `data`, `stringData` or annotations. The object given is not changed. */
export function maskedSecret(secret: KubeObject): KubeObject {
  const { annotations } = secret.metadata;
  const members = ['data', 'stringData'].filter((name) => isRecord(secret[name]));
  return {
    ...secret,
    metadata: { ...secret.metadata, ...(annotations === undefined ? {} : { annotations: maskedCopies(annotations) }) },
    ...Object.fromEntries(
      members.map((name) => [name, maskedMembers(secret[name], name === 'data' ? maskedValue : maskedText)]),
    ),
  };
}

const maskedCopies = (annotations: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [name, mayHoldSecret(name, value) ? maskedText : value]),
  );

const maskedMembers = (members: unknown, mask: string): Record<string, string> =>
  Object.fromEntries(Object.keys(isRecord(members) ? members : {}).map((name) => [name, mask]));
