import type { Cells } from './cells.ts';
import { accessCells } from './access.ts';
import { clusterCells } from './cluster.ts';
import { controlCells } from './control.ts';
import { devicesCells } from './devices.ts';
import { networkingCells } from './networking.ts';
import { storageCells } from './storage.ts';
import { workloadsCells } from './workloads.ts';

/** How the cells are made that are no plain field, by `Kind` or `Kind.group` and column name. */
export const kindCells: Readonly<Record<string, Cells>> = {
  ...workloadsCells,
  ...networkingCells,
  ...storageCells,
  ...accessCells,
  ...controlCells,
  ...devicesCells,
  ...clusterCells,
};
