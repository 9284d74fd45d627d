import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { errorMessage } from '@apichain/meta';
import type { Response, Client, Request } from './client.ts';
import { Normaliser } from './normaliser.ts';
import { inText, substitute, valueAt, type BodyOf, type Scenario, type Step, type Variables } from './scenario.ts';
import type { Webhooks } from './webhooks.ts';

export interface RunOptions {
  readonly client: Client;
  /** The user name of `client` on its server. */
  readonly administrator: string;
  /** A few lowercase letters that are part of the names of all created objects. */
  readonly run: string;
  readonly webhooks: Webhooks;
  /** Identifies the server in the requests to webhooks: every scenario has separate webhook addresses on every server. */
  readonly target: string;
  /** Aborts the run before its next request. */
  readonly signal: AbortSignal;
}

/** The normalised response of a step. */
export interface StepResult {
  readonly step: string;
  readonly response: unknown;
}

export interface ScenarioResult {
  readonly steps: readonly StepResult[];
  readonly versionOrder: readonly string[];
}

/** The headers that clients act on. */
const comparedHeaders = ['content-type', 'warning', 'location', 'retry-after', 'allow', 'cache-control'] as const;
const untilTimeoutMs = 10_000;
const untilPollMs = 100;
/** The value of a variable when the response did not contain it. Later steps then show a difference instead of failing. */
const missing = 'missing';

/** Runs the steps of a scenario on one server. Rejects when a connection fails, and for errors in the scenario itself. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<ScenarioResult> {
  const run = new ScenarioRun(scenario, options);
  return run.all();
}

class ScenarioRun {
  readonly #scenario: Scenario;
  readonly #options: RunOptions;
  readonly #variables: Record<string, unknown>;
  readonly #normaliser: Normaliser;
  readonly #results: StepResult[] = [];

  constructor(scenario: Scenario, options: RunOptions) {
    const { run, webhooks, target, client, administrator } = options;
    const place = `${target}/${scenario.name.replaceAll(/[^a-z0-9]+/gi, '-')}`;
    const own = {
      ns: namespaceOf(scenario, run),
      webhook: `${webhooks.url}/${place}`,
      webhookCa: webhooks.caBundle,
      run,
    };
    this.#scenario = scenario;
    this.#options = options;
    this.#variables = { ...own };
    this.#normaliser = new Normaliser({
      administrator,
      ownText: JSON.stringify(substituteKnown(scenario.steps, own)),
      replacements: [
        ...Object.entries(own).map(([name, text]) => [text, `<${name}>`] as const),
        [new URL(client.url).host, '<server>'],
      ],
    });
  }

  async all(): Promise<ScenarioResult> {
    const { client } = this.#options;
    if (this.#scenario.namespaced !== false) {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#variables['ns'] } };
      const { status } = await client.send({
        method: 'POST',
        path: '/api/v1/namespaces',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (status !== 201) throw new Error(`${client.url} does not create a namespace: ${status}`);
    }
    for (const step of this.#scenario.steps) {
      this.#options.signal.throwIfAborted();
      try {
        await this.#take(step);
      } catch (error) {
        const why = errorMessage(error);
        throw new Error(`${this.#scenario.name}: ${step.name}: ${client.url}: ${why}`, { cause: error });
      }
    }
    return { steps: this.#results, versionOrder: this.#normaliser.versionOrder() };
  }

  async #take(step: Step): Promise<void> {
    if (step.watch !== undefined) return this.#watch(step, step.watch);
    const response = await this.#responseOf(step);
    for (const [name, path] of Object.entries(step.save ?? {}))
      this.#variables[name] = valueAt(response.body, path) ?? missing;
    const body = step.select === undefined ? response.body : step.select(response.body);
    this.#results.push({ step: step.name, response: this.#normalised({ ...response, body }, step.name) });
  }

  async #responseOf(step: Step): Promise<Response> {
    if (step.method === 'RECEIVED') {
      const place = new URL(inText(step.path, this.#variables)).pathname;
      return { status: 200, headers: {}, body: this.#options.webhooks.received(place) };
    }
    const deadline = Date.now() + untilTimeoutMs;
    for (;;) {
      this.#options.signal.throwIfAborted();
      const response = await this.#send(this.#request(step, step.method));
      if (step.until === undefined || isReached(step.until, response) || Date.now() > deadline) return response;
      await sleep(untilPollMs);
    }
  }

  /** A failed connection is returned as a response, so that it is compared with the response of the other server. */
  async #send(request: Request): Promise<Response> {
    try {
      return await this.#options.client.send(request);
    } catch (error) {
      console.error(`${this.#options.client.url}${request.path}: ${errorMessage(error)}`);
      return { status: 0, headers: {}, body: 'no response' };
    }
  }

  async #watch(step: Step, { events: enough, during = [] }: NonNullable<Step['watch']>): Promise<void> {
    if (step.method !== 'GET') throw new Error(`${step.name}: a watch is a GET`);
    const { events, end, ...response } = await this.#options.client.watch(
      this.#request(step, step.method),
      enough,
      async () => {
        for (const inner of during) await this.#take(inner);
      },
    );
    const normalisedEvents = events.map((event, index) =>
      this.#normaliser.normalise(event, `${step.name}, event ${index}`),
    );
    const normalised = this.#normalised(response, step.name);
    this.#results.push({ step: step.name, response: { ...normalised, events: normalisedEvents, end } });
  }

  #request(step: Step, method: Exclude<Step['method'], 'RECEIVED'>) {
    const { run } = this.#options;
    const raw = typeof step.body === 'function' ? (step.body as BodyOf)(this.#variables) : step.body;
    const body = substitute(raw, this.#variables);
    const query = new URLSearchParams();
    for (const [name, text] of Object.entries(step.query ?? {})) query.set(name, inText(text, this.#variables));
    const path = inText(step.path, this.#variables);
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': contentType }),
      ...(step.as === 'user' ? { 'impersonate-user': `conformance-${run}-user` } : {}),
      ...Object.fromEntries(
        Object.entries(step.headers ?? {}).map(([name, text]) => [name.toLowerCase(), inText(text, this.#variables)]),
      ),
    };
    return {
      method,
      path: query.size === 0 ? path : `${path}?${query.toString()}`,
      headers,
      anonymous: step.as === 'anonymous',
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
  }

  #normalised({ status, headers, body }: Response, place: string) {
    const shown: Record<string, string> = {};
    for (const name of comparedHeaders) {
      const value = headers[name];
      if (value !== undefined) shown[name] = this.#normaliser.text([value].flat().join('; '), place);
    }
    return {
      status,
      headers: shown,
      body: this.#normaliser.normalise(body, place),
    };
  }
}

const namespaceOf = (scenario: Scenario, run: string) =>
  `conformance-${run}-${scenario.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`.slice(0, 63);

function isReached(until: NonNullable<Step['until']>, response: Response): boolean {
  if (until.status !== undefined && response.status !== until.status) return false;
  return until.path === undefined || isDeepStrictEqual(valueAt(response.body, until.path), until.equals);
}

/** Replaces the variables of the run in the steps. Variables that steps save are not replaced. */
function substituteKnown(steps: readonly Step[], own: Variables): unknown {
  const text = JSON.stringify(steps);
  return text.replace(/\{\{(\w+)\}\}/g, (all, name: string) => (Object.hasOwn(own, name) ? String(own[name]) : all));
}
