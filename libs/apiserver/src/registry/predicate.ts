import { goQuote } from '@apichain/go-text';
import {
  errorMessage,
  newBadRequest,
  parseFieldSelector,
  parseLabelSelector,
  SelectorError,
  type FieldSelector,
} from '@apichain/meta';
import type { ObjectAttributes, SelectionPredicate } from '@apichain/storage';
import type { ListOptions, ResourceStorage } from './rest.ts';

const everything: SelectionPredicate = { matches: () => true, everything: true, exactFields: {} };

/** A field selector's label and value as the kind knows them; throws an Error with the client's text. */
export type FieldLabelConverter = (label: string, value: string) => { field: string; value: string };

/** What kinds without selectable fields of their own accept. */
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

/** The field selector of a request over the kind's own field names. Throws BadRequest. */
export function resolveFieldSelector(text: string, convert: FieldLabelConverter = metadataFieldLabels): FieldSelector {
  const selector = readSelector(() => parseFieldSelector(text));
  if (selector.empty) return selector;
  try {
    return selector.transform(convert);
  } catch (error) {
    throw newBadRequest(errorMessage(error));
  }
}

/**
 * What a list, watch or deletecollection selects. Throws BadRequest when a selector cannot be read or names an unknown field.
 * Source: SelectionPredicate of k8s.io/apiserver/pkg/storage.
 */
export function selectionPredicate(
  options: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>,
  storage: Pick<ResourceStorage, 'convertFieldLabel'>,
): SelectionPredicate {
  if (options.labelSelector === '' && options.fieldSelector === '') return everything;
  const labels = readSelector(() => parseLabelSelector(options.labelSelector));
  const fields = resolveFieldSelector(options.fieldSelector, storage.convertFieldLabel);
  if (labels.empty && fields.empty) return everything;
  const exactFields: Record<string, string> = {};
  for (const { field, operator, value } of fields.requirements) if (operator === '=') exactFields[field] = value;
  return {
    matches: (attributes: ObjectAttributes) => labels.matches(attributes.labels) && fields.matches(attributes.fields),
    everything: false,
    exactFields,
  };
}
