import { writeText } from '@apichain/request';
import type { PathMux } from '@apichain/request';
import { findScope } from '@apichain/request';
import type { FlowCounts } from './flow-counts.ts';
import type { PriorityLevels } from './priority-levels.ts';

const directory = '/debug/api_priority_and_fairness';
const narrowest = 8;

/** Aligns columns like Go's tabwriter with cells that end with `,` and a tab. */
function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.slice(0, -1).entries()) {
      widths[i] = Math.max(widths[i] ?? narrowest, cell.length + ','.length + 1);
    }
  }
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === row.length - 1 ? cell : `${cell},`.padEnd(widths[i] ?? 0))).join('');
  return rows.map((row) => `${line(row)}\n`).join('');
}

/** Formats seat-milliseconds as seat-seconds. */
const seatSeconds = (seatMilliseconds: number): string => `${(seatMilliseconds / 1000).toFixed(8)}ss`;

/** The start time of requests that have not started: Go's zero time. */
const notStarted = '0001-01-01T00:00:00Z';

function priorityLevelRows(levels: PriorityLevels): string[][] {
  return levels.all().map((level) => {
    const { name, queues, quiescing } = level;
    const counts = [...level.allCounts()];
    const sum = (of: (each: FlowCounts) => number) => String(counts.reduce((total, each) => total + of(each), 0));
    return [
      name,
      String(queues.queues().filter(({ waiting }) => waiting.size > 0).length),
      String(queues.isIdle),
      String(quiescing),
      String(queues.waiting),
      String(queues.executing),
      sum(({ dispatched }) => dispatched),
      sum(({ rejected }) => rejected['queue-full'] + rejected['concurrency-limit']),
      // kube-apiserver counts requests that waited too long as cancelled, like those of disconnected clients.
      '0',
      sum(({ rejected }) => rejected['time-out']),
    ];
  });
}

function queueRows(levels: PriorityLevels): string[][] {
  return levels
    .all()
    .flatMap(({ name, queues }) =>
      queues
        .queues()
        .map((queue) => [
          name,
          String(queue.index),
          String(queue.waiting.size),
          String(queue.executing),
          String(queue.seatsInUse),
          seatSeconds(queue.nextDispatchR),
          String(queue.initialSeatsWaiting),
          String(queue.maxSeatsWaiting),
          seatSeconds(queue.workWaiting),
        ]),
    );
}

function requestRows(levels: PriorityLevels, details: boolean): string[][] {
  const rows: string[][] = [];
  for (const { name, queues } of levels.all()) {
    for (const queue of queues.queues()) {
      for (const [index, request] of [...queue.waiting].entries()) {
        const { flow, waiting } = request;
        const row = [
          name,
          flow.schema.name,
          String(queue.index),
          String(index),
          flow.distinguisher,
          waiting?.arrivedAt.toISOString() ?? '',
          String(request.initialSeats),
          String(request.finalSeats),
          request.additionalLatency === 0 ? '0s' : `${request.additionalLatency}ms`,
          notStarted,
        ];
        if (details && waiting !== undefined) {
          const { userName, requestInfo: info } = waiting.description;
          const version = info.apiGroup === '' ? info.apiVersion : `${info.apiGroup}/${info.apiVersion}`;
          row.push(userName, info.verb, info.path, info.namespace, info.name, version, info.resource, info.subresource);
        }
        rows.push(row);
      }
    }
  }
  return rows;
}

const priorityLevelColumns = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
];
const queueColumns = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
];
const requestColumns = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
];
const detailColumns = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];

/** https://kubernetes.io/docs/reference/debug-cluster/flow-control/ */
export function installFlowControlDumps(paths: PathMux, levels: PriorityLevels): void {
  const unlisted = false;
  paths.handle(
    `${directory}/dump_priority_levels`,
    (_context, _request, response) =>
      writeText(response, 200, table([priorityLevelColumns, ...priorityLevelRows(levels)])),
    unlisted,
  );
  paths.handle(
    `${directory}/dump_queues`,
    (_context, _request, response) => writeText(response, 200, table([queueColumns, ...queueRows(levels)])),
    unlisted,
  );
  paths.handle(
    `${directory}/dump_requests`,
    (_context, request, response) => {
      const details = (findScope(request)?.query.text('includeRequestDetails') ?? '') !== '';
      const columns = details ? [...requestColumns, ...detailColumns] : requestColumns;
      writeText(response, 200, table([columns, ...requestRows(levels, details)]));
    },
    unlisted,
  );
}
