import { goQuote } from '@apichain/go-text';
import type { Work } from '@apichain/meta';
import { isRecognizedFormat } from '../formats.ts';
import { findingSchema } from '../json-schema-props.ts';
import type { CustomResourceDefinition } from './crd-types.ts';
import { hoistSpec } from './hoisted-spec.ts';

/** Warnings for a CRD about unrecognized formats. With `old`, only new warnings. Runs in steps. */
export function* findingCrdWarnings(crd: CustomResourceDefinition, old?: CustomResourceDefinition): Work<string[]> {
  const before = new Set(old === undefined ? [] : yield* allWarnings(old));
  return (yield* allWarnings(crd)).filter((text) => !before.has(text));
}

function* allWarnings(crd: CustomResourceDefinition): Work<string[]> {
  const spec = hoistSpec(crd.spec ?? {});
  const schemas = [spec.validation, ...spec.versions.map((v) => v.schema)].map((v) => v?.openAPIV3Schema);
  const formats: string[] = [];
  for (const schema of schemas)
    yield* findingSchema(schema, (s) => {
      if (s.format && !isRecognizedFormat(s.type ?? '', s.format))
        formats.push(`unrecognized format ${goQuote(s.format)}`);
      return false;
    });
  return formats;
}
