import { goQuote } from '@apichain/go-text';
import {
  errorMessage,
  newBadRequest,
  parseFieldSelector,
  parseLabelSelector,
  SelectorError,
  type FieldSelector,
  type LabelSelector,
} from '@apichain/meta';
import { everything, type ObjectAttributes, type SelectionPredicate } from '@apichain/storage';
import type { ListOptions, ResourceStorage } from './rest.ts';

/** Converts a field selector's label and value to those of the kind. Throws an Error with the client's message. */
export type FieldLabelConverter = (label: string, value: string) => { field: string; value: string };

/** The converter of kinds without additional selectable fields. */
export const metadataFieldLabels: FieldLabelConverter = (label, value) => {
  if (label === 'metadata.name' || label === 'metadata.namespace') return { field: label, value };
  throw new Error(`${goQuote(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`);
};

function readSelector<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SelectorError) throw newBadRequest(error.message);
    throw error;
  }
}

/** The field selector of a request with the kind's field names. Throws BadRequest. */
export function resolveFieldSelector(text: string, convert: FieldLabelConverter = metadataFieldLabels): FieldSelector {
  const selector = readSelector(() => parseFieldSelector(text));
  if (selector.empty) return selector;
  try {
    return selector.transform(convert);
  } catch (error) {
    throw newBadRequest(errorMessage(error));
  }
}

/** The labels and fields that a list, watch or deletecollection selects, with the kind's field names. */
export interface Selectors {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
}

/** The selectors of a request; undefined = every object. Throws BadRequest when a selector is invalid or names an unknown field. */
export function selectorsOf(
  options: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>,
  storage: Pick<ResourceStorage, 'convertFieldLabel'>,
): Selectors | undefined {
  if (options.labelSelector === '' && options.fieldSelector === '') return undefined;
  const labels = readSelector(() => parseLabelSelector(options.labelSelector));
  const fields = resolveFieldSelector(options.fieldSelector, storage.convertFieldLabel);
  return labels.empty && fields.empty ? undefined : { labels, fields };
}

const isIdentity = (field: string): boolean => field === 'metadata.name' || field === 'metadata.namespace';

/** Whether the selectors depend on more than the name and namespace, which all versions of an object have in common. */
export const dependsOnVersion = ({ labels, fields }: Selectors): boolean =>
  !labels.empty || fields.requirements.some(({ field }) => !isIdentity(field));

/** The objects with the name and namespace that the selectors require. */
export function identityPredicate({ fields }: Selectors): SelectionPredicate {
  const exactFields: Record<string, string> = {};
  for (const { field, operator, value } of fields.requirements)
    if (operator === '=' && isIdentity(field)) exactFields[field] = value;
  const wanted = Object.entries(exactFields);
  if (wanted.length === 0) return everything;
  return {
    matches: (attributes) => wanted.every(([field, value]) => attributes.fields[field] === value),
    everything: false,
    exactFields,
  };
}

/**
 * The objects that a list, watch or deletecollection selects. Throws BadRequest when a selector is invalid or names an unknown field.
 * Source: SelectionPredicate of k8s.io/apiserver/pkg/storage.
 */
export function selectionPredicate(
  options: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>,
  storage: Pick<ResourceStorage, 'convertFieldLabel'>,
): SelectionPredicate {
  const selectors = selectorsOf(options, storage);
  if (selectors === undefined) return everything;
  const { labels, fields } = selectors;
  const exactFields: Record<string, string> = {};
  for (const { field, operator, value } of fields.requirements) if (operator === '=') exactFields[field] = value;
  return {
    matches: (attributes: ObjectAttributes) => labels.matches(attributes.labels) && fields.matches(attributes.fields),
    everything: false,
    exactFields,
  };
}
