// Made by `node tools/kinds/typescript.ts` from the table of types, libs/kinds/src/generated/types. Do not edit. See libs/api/README.md.

import type { emptied } from '@apichain/meta';

export type Info = {
  major?: string;
  minor?: string;
  emulationMajor?: string;
  emulationMinor?: string;
  minCompatibilityMajor?: string;
  minCompatibilityMinor?: string;
  gitVersion?: string;
  gitCommit?: string;
  gitTreeState?: string;
  buildDate?: string;
  goVersion?: string;
  compiler?: string;
  platform?: string;
  [emptied]?: readonly string[];
};
