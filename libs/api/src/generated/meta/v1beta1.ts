// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { ListMeta, emptied } from '@apichain/meta';
import type * as meta_v1 from '../meta/v1.ts';

export type ConditionStatus = string;

export type IncludeObjectPolicy = string;

export type PartialObjectMetadata = meta_v1.PartialObjectMetadata;

export type PartialObjectMetadataList = {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items?: meta_v1.PartialObjectMetadata[] | null;
  [emptied]?: readonly string[];
};

export type RowConditionType = string;

export type Table = meta_v1.Table;

export type TableColumnDefinition = meta_v1.TableColumnDefinition;

export type TableOptions = meta_v1.TableOptions;

export type TableRow = meta_v1.TableRow;

export type TableRowCondition = meta_v1.TableRowCondition;
