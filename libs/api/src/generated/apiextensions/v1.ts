// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, ObjectMeta, emptied } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';
import type { Bytes, Int64, Json, RawExtension, Time } from '../../scalars.ts';

export type ConditionStatus = string;

export type ConversionRequest = {
  uid?: string;
  desiredAPIVersion?: string;
  objects?: RawExtension[] | null;
  [emptied]?: readonly string[];
};

export type ConversionResponse = {
  uid?: string;
  convertedObjects?: RawExtension[] | null;
  result?: meta_v1.Status;
  [emptied]?: readonly string[];
};

export type ConversionReview = {
  kind?: string;
  apiVersion?: string;
  request?: ConversionRequest;
  response?: ConversionResponse;
  [emptied]?: readonly string[];
};

export type ConversionStrategyType = string;

export type CustomResourceColumnDefinition = {
  name?: string;
  type?: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath?: string;
  [emptied]?: readonly string[];
};

export type CustomResourceConversion = {
  strategy?: ConversionStrategyType;
  webhook?: WebhookConversion;
  [emptied]?: readonly string[];
};

export type CustomResourceDefinition = {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
  spec?: CustomResourceDefinitionSpec;
  status?: CustomResourceDefinitionStatus;
  [emptied]?: readonly string[];
};

export type CustomResourceDefinitionCondition = {
  type?: CustomResourceDefinitionConditionType;
  status?: ConditionStatus;
  lastTransitionTime?: Time | null;
  reason?: string;
  message?: string;
  observedGeneration?: Int64;
  [emptied]?: readonly string[];
};

export type CustomResourceDefinitionConditionType = string;

export type CustomResourceDefinitionList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: CustomResourceDefinition[] | null;
  [emptied]?: readonly string[];
};

export type CustomResourceDefinitionNames = {
  plural?: string;
  singular?: string;
  shortNames?: string[];
  kind?: string;
  listKind?: string;
  categories?: string[];
  [emptied]?: readonly string[];
};

export type CustomResourceDefinitionSpec = {
  group?: string;
  names?: CustomResourceDefinitionNames;
  scope?: ResourceScope;
  versions?: CustomResourceDefinitionVersion[] | null;
  conversion?: CustomResourceConversion;
  preserveUnknownFields?: boolean;
  [emptied]?: readonly string[];
};

export type CustomResourceDefinitionStatus = {
  conditions?: CustomResourceDefinitionCondition[] | null;
  acceptedNames?: CustomResourceDefinitionNames;
  storedVersions?: string[] | null;
  observedGeneration?: Int64;
  [emptied]?: readonly string[];
};

export type CustomResourceDefinitionVersion = {
  name?: string;
  served?: boolean;
  storage?: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: CustomResourceValidation;
  subresources?: CustomResourceSubresources;
  additionalPrinterColumns?: CustomResourceColumnDefinition[];
  selectableFields?: SelectableField[];
  [emptied]?: readonly string[];
};

export type CustomResourceSubresourceScale = {
  specReplicasPath?: string;
  statusReplicasPath?: string;
  labelSelectorPath?: string;
  [emptied]?: readonly string[];
};

export type CustomResourceSubresourceStatus = Record<string, never>;

export type CustomResourceSubresources = {
  status?: CustomResourceSubresourceStatus;
  scale?: CustomResourceSubresourceScale;
  [emptied]?: readonly string[];
};

export type CustomResourceValidation = {
  openAPIV3Schema?: JSONSchemaProps;
  [emptied]?: readonly string[];
};

export type ExternalDocumentation = {
  description?: string;
  url?: string;
  [emptied]?: readonly string[];
};

export type FieldValueErrorReason = string;

export type JSON = Json;

export type JSONSchemaDefinitions = Record<string, JSONSchemaProps>;

export type JSONSchemaDependencies = Record<string, JSONSchemaPropsOrStringArray>;

export type JSONSchemaProps = {
  id?: string;
  $schema?: JSONSchemaURL;
  $ref?: string;
  description?: string;
  type?: string;
  format?: string;
  title?: string;
  default?: Json;
  maximum?: number;
  exclusiveMaximum?: boolean;
  minimum?: number;
  exclusiveMinimum?: boolean;
  maxLength?: Int64;
  minLength?: Int64;
  pattern?: string;
  maxItems?: Int64;
  minItems?: Int64;
  uniqueItems?: boolean;
  multipleOf?: number;
  enum?: Json[];
  maxProperties?: Int64;
  minProperties?: Int64;
  required?: string[];
  items?: JSONSchemaPropsOrArray;
  allOf?: JSONSchemaProps[];
  oneOf?: JSONSchemaProps[];
  anyOf?: JSONSchemaProps[];
  not?: JSONSchemaProps;
  properties?: Record<string, JSONSchemaProps>;
  additionalProperties?: JSONSchemaPropsOrBool;
  patternProperties?: Record<string, JSONSchemaProps>;
  dependencies?: JSONSchemaDependencies;
  additionalItems?: JSONSchemaPropsOrBool;
  definitions?: JSONSchemaDefinitions;
  externalDocs?: ExternalDocumentation;
  example?: Json;
  nullable?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-validations'?: ValidationRules;
  [emptied]?: readonly string[];
};

export type JSONSchemaPropsOrArray = JSONSchemaProps | (JSONSchemaProps | null)[];

export type JSONSchemaPropsOrBool = JSONSchemaProps | boolean;

export type JSONSchemaPropsOrStringArray = JSONSchemaProps | string[];

export type JSONSchemaURL = string;

export type ResourceScope = string;

export type SelectableField = {
  jsonPath?: string;
  [emptied]?: readonly string[];
};

export type ServiceReference = {
  namespace?: string;
  name?: string;
  path?: string;
  port?: number;
  [emptied]?: readonly string[];
};

export type ValidationRule = {
  rule?: string;
  message?: string;
  messageExpression?: string;
  /** `FieldValueRequired`, `FieldValueDuplicate`, `FieldValueInvalid`, `FieldValueForbidden` */
  reason?: FieldValueErrorReason;
  fieldPath?: string;
  optionalOldSelf?: boolean;
  [emptied]?: readonly string[];
};

export type ValidationRules = ValidationRule[];

export type WebhookClientConfig = {
  url?: string;
  service?: ServiceReference;
  caBundle?: Bytes;
  [emptied]?: readonly string[];
};

export type WebhookConversion = {
  clientConfig?: WebhookClientConfig;
  conversionReviewVersions?: string[] | null;
  [emptied]?: readonly string[];
};

export type cborMajorType = Int64;
