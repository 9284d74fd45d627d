import type { Registry } from 'prom-client';

/** The question with which the parent process of a service asks for the activity of its servers, as JSON. */
export const activityQuestion = 'activity';

/** What servers have to do, in numbers that cost nothing to read. */
export interface ServerActivity {
  /** Requests since the start. One that was passed on is counted once, where it was served. */
  readonly requests: number;
  /** Objects by resource. One whose number is not known is left out. */
  readonly objects: Readonly<Record<string, number>>;
}

/** The activity of a server, from two of its metrics. */
export async function activityOf(metrics: Registry): Promise<ServerActivity> {
  const [requests, objects] = await Promise.all(
    ['apiserver_request_total', 'apiserver_storage_objects'].map(async (name) => {
      const metric = metrics.getSingleMetric(name);
      return metric === undefined ? [] : (await metric.get()).values;
    }),
  );
  const known = (objects ?? []).filter(({ value }) => value >= 0);
  return {
    requests: (requests ?? []).reduce((sum, { value }) => sum + value, 0),
    objects: Object.fromEntries(known.map(({ labels, value }) => [String(labels['resource']), value])),
  };
}
