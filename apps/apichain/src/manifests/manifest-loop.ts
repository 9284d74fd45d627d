import { StartupError } from '@apichain/chain/setup';
import { httpTransport, loadKubeconfig, RestClient } from '@apichain/client';
import { errorMessage } from '@apichain/meta';
import { ManifestFiles } from './manifest-files.ts';
import { Manifests, type ManifestReport, type PassResult } from './manifests.ts';
import { manifestsUserAgent } from './user-agent.ts';
import { WatchedFolders } from './watched-folders.ts';

/** The manifests of `apichain up -f`. */
export interface ManifestOptions {
  readonly paths: readonly string[];
  /** Whether the folders below folders count. */
  readonly recursive: boolean;
  /** Whether changes are applied while the chain runs. */
  readonly watch: boolean;
}

/**
 * `quietMs`: how long after a change it is waited for further ones, because editors write a file in steps. `retryMs`: how long after a pass that the
 * chain could not complete another one begins. `settleMs`: see `Manifests`.
 */
const defaultTimes = { quietMs: 100, retryMs: 2_000, settleMs: 2_000 };

/** Keeps the manifests applied to a chain that runs. */
export class ManifestLoop {
  readonly #client: RestClient;
  readonly #manifests: Manifests;
  readonly #report: ManifestReport;
  readonly #options: ManifestOptions;
  readonly #times: typeof defaultTimes;
  readonly #say: (line: string) => void;
  #folders: WatchedFolders | undefined;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** The problems that were told since a file was last changed. */
  readonly #told = new Set<string>();

  /** `say` is called with lines about what is unchanged. */
  constructor(
    kubeconfig: string,
    options: ManifestOptions,
    report: ManifestReport,
    say: (line: string) => void,
    times = defaultTimes,
  ) {
    this.#times = times;
    this.#client = new RestClient(httpTransport({ ...loadKubeconfig(kubeconfig), userAgent: manifestsUserAgent }));
    this.#manifests = new Manifests(this.#client, new ManifestFiles(options.paths, options.recursive), times.settleMs);
    this.#options = options;
    this.#report = {
      changed: (name, change) => report.changed(name, change),
      problem: (line) => {
        if (!this.#told.has(line)) report.problem(line);
        this.#told.add(line);
      },
    };
    this.#say = say;
  }

  /**
   * Applies everything, and begins to watch if that is wanted. Returns what was done, as a line. With `mustApply` it throws StartupError when something
   * is not applied and nothing is watched, so that nobody would try again.
   */
  async start({ mustApply }: { readonly mustApply: boolean }): Promise<string> {
    const { paths, recursive, watch } = this.#options;
    if (watch) {
      const onChange = () => {
        this.#told.clear();
        this.#later(this.#times.quietMs);
      };
      const onProblem = (line: string) => this.#report.problem(line);
      this.#folders = new WatchedFolders(paths, { recursive, onChange, onProblem });
    }
    const result = await this.#afterOthers(() => this.#pass());
    if (mustApply && !watch && result.problems > 0) throw new StartupError(`-f: ${summary(result)}`);
    return `manifests: ${summary(result)}`;
  }

  /** Applies everything once more, because the store was reset. Returns what was done, as a line. */
  async again(): Promise<string> {
    const result = await this.#afterOthers(() => {
      this.#manifests.forget();
      return this.#pass();
    });
    return `manifests: ${summary(result)}`;
  }

  /** Ends what is under way, and resolves when it has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#folders?.close();
    await this.#client.close();
    await this.#work;
  }

  /** Runs work when all that was asked for before has ended. The caller gets its result or error. */
  #afterOthers<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#work.then(work);
    this.#work = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  async #pass(): Promise<PassResult> {
    this.#folders?.refresh();
    const result = await this.#manifests.pass(this.#report);
    if (result.mayPass && this.#options.watch) this.#later(this.#times.retryMs);
    return result;
  }

  /** Begins a pass after this time, and after the one that is under way. */
  #later(milliseconds: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#afterOthers(() => this.#passAndTell()), milliseconds);
  }

  async #passAndTell(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const { unchanged } = await this.#pass();
      if (unchanged > 0) this.#say(`manifests: ${unchanged} unchanged`);
    } catch (error) {
      if (this.#isClosed) return;
      this.#report.problem(`manifests: ${errorMessage(error)}`);
      this.#later(this.#times.retryMs);
    }
  }
}

/** `3 created, 12 unchanged` */
function summary(result: PassResult): string {
  const { created, configured, unchanged, pruned, problems } = result;
  const parts = Object.entries({ created, configured, unchanged, pruned, 'not applied': problems });
  const some = parts.filter(([, count]) => count > 0).map(([what, count]) => `${count} ${what}`);
  return some.length === 0 ? 'there are none' : some.join(', ');
}
