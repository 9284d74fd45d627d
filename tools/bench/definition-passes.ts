import { celRules } from '@apichain/cel';
import { metadataRules, objectMetaType } from '@apichain/custom-resources';
import {
  crdWarnings,
  customResourceType,
  defaultCrd,
  findNonStructural,
  pruneDefaults,
  structuralType,
  validateCrd,
  validateCrdUpdate,
  type CustomResourceDefinition,
  type JsonSchemaProps,
} from '@apichain/schema';
import {
  definitionShapes,
  makeDefinition,
  mostRepetitions,
  type DefinitionShape,
} from '../fuzz/stalls/definition-shapes.ts';
import { pass, type Pass } from './pass.ts';

/** The most members of a definition that is validated in the thread which serves requests (`libs/server-apiextensions/src/crd/crd-checks.ts`). */
const membersHere = 3_000;

const context = { metadata: metadataRules, rules: celRules };

function definition({ spec }: DefinitionShape, repetitions: number): CustomResourceDefinition {
  const made: unknown = { ...makeDefinition('large', spec(repetitions)), status: { storedVersions: ['v1'] } };
  const crd = made as CustomResourceDefinition;
  defaultCrd(crd);
  return crd;
}

const schemasOf = ({ spec }: CustomResourceDefinition): JsonSchemaProps[] =>
  spec.versions.map(({ schema }) => schema?.openAPIV3Schema ?? {});

/** The passes over a definition in a worker thread, and over a small one in the thread that serves requests. */
const checksOf = (make: () => CustomResourceDefinition): readonly Pass[] => [
  pass('validate', make, (crd) => validateCrd(crd, context)),
  pass(
    'validate update',
    () => [make(), make()] as const,
    ([crd, old]) => validateCrdUpdate(crd, old, context),
  ),
  pass('find non-structural', make, findNonStructural),
];

/** The passes over a definition of any size in the thread that serves requests. */
const typesOf = (make: () => CustomResourceDefinition): readonly Pass[] => {
  const types = () => schemasOf(make()).map((schema) => structuralType(schema));
  const resourceTypes = () => types().map((type) => customResourceType(type, objectMetaType));
  return [
    pass('find warnings', make, (crd) => crdWarnings(crd)),
    pass(
      'types of the schemas',
      () => schemasOf(make()),
      (schemas) => schemas.map((schema) => structuralType(schema)),
    ),
    pass('prune defaults', types, (all) => all.map((type) => pruneDefaults(type, metadataRules))),
    pass('types of the resources', types, (all) => all.map((type) => customResourceType(type, objectMetaType))),
    pass('declare rules', resourceTypes, (all) => all.map((type) => celRules.compile(type))),
  ];
};

/** The passes over CustomResourceDefinitions. */
export const definitionPasses: readonly Pass[] = definitionShapes.flatMap((shape) => {
  const most = mostRepetitions(shape);
  const large = () => definition(shape, most);
  const small = () => definition(shape, Math.min(most, Math.floor(membersHere / shape.members)));
  const named = (of: string, passes: readonly Pass[]) =>
    passes.map((each) => ({ ...each, name: `${of} of ${shape.name}: ${each.name}` }));
  return [
    ...named('definition', typesOf(large)),
    ...named('definition, in a worker thread,', checksOf(large)),
    ...named('small definition', checksOf(small)),
  ];
});
