import { dirname, resolve } from 'node:path';
import { goQuote } from '@apichain/go-text';
import { errorMessage, parseYaml, stringifyJson, isRecord, records, text } from '@apichain/meta';
import {
  configurationRoot,
  configurationStruct,
  decodeConfiguration,
  optionalMember,
  type ConfigurationKind,
  type Type,
} from '@apichain/scheme';

const string: Type = { kind: 'string' };
const documentType = configurationRoot('v1.AdmissionConfiguration', {
  plugins: {
    kind: 'array',
    items: configurationStruct('AdmissionPluginConfiguration', {
      name: string,
      path: string,
      configuration: optionalMember({ kind: 'json' }),
    }),
  },
});
const document: ConfigurationKind = {
  kind: 'AdmissionConfiguration',
  versions: new Map(
    ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1'].map((version) => [version, documentType]),
  ),
  scheme: 'k8s.io/apiserver/pkg/server/options/admission.go:51',
  siblings: ['AuthenticationConfiguration', 'AuthorizationConfiguration', 'EncryptionConfiguration'],
  siblingProblem: 'unexpected type: ',
};

/** Plugins whose configuration may be the whole file, without apiVersion and kind: the member that identifies it. */
const unversioned = { ImagePolicyWebhook: 'imagePolicy', PodNodeSelector: 'podNodeSelectorPluginConfig' } as const;

/** Reads a file. Throws Error with Go's text. */
type ReadFile = (path: string) => string;

const fail = (what: string): never => {
  throw new Error(`failed to apply admission: ${what}`);
};

/** The configuration of each plugin in the file of `--admission-control-config-file`. */
export class PluginConfigurations {
  readonly #sources: ReadonlyMap<string, () => string>;

  constructor(sources: ReadonlyMap<string, () => string> = new Map()) {
    this.#sources = sources;
  }

  /**
   * The result of `read` for the configuration of a plugin (YAML or JSON; undefined =
   * none). Throws Error with the text that kube-apiserver exits with.
   */
  of<Value>(plugin: string, read: (source: string | undefined) => Value): Value {
    const source = this.#sources.get(plugin)?.();
    try {
      return read(source);
    } catch (error) {
      if (error instanceof InitializationError)
        return fail(`failed to initialize admission plugin ${goQuote(plugin)}: ${error.message}`);
      return fail(`couldn't init admission plugin ${goQuote(plugin)}: ${errorMessage(error)}`);
    }
  }
}

/** An error in a plugin's configuration that kube-apiserver reports while it initializes the plugin, with a different prefix. */
export class InitializationError extends Error {}

/**
 * Reads the AdmissionConfiguration at `path` ('' = none) and the files that it names, relative to its directory. The file of a plugin is read
 * when its configuration is requested. Throws Error with the text of kube-apiserver.
 * https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-AdmissionConfiguration
 */
export function readPluginConfigurations(path: string, readFile: ReadFile): PluginConfigurations {
  if (path === '') return new PluginConfigurations();
  const source = opened(path, readFile);
  try {
    const { plugins } = decodeConfiguration(source, document);
    const entries = records(plugins).map((plugin): [string, (() => string) | undefined] => [
      text(plugin.name),
      sourceOf(plugin, dirname(path), readFile),
    ]);
    // If a plugin has several entries, the first counts.
    return new PluginConfigurations(
      new Map(entries.toReversed().flatMap(([name, given]) => (given === undefined ? [] : [[name, given] as const]))),
    );
  } catch (error) {
    return legacy(source) ?? fail(`failed to read plugin config: ${errorMessage(error)}`);
  }
}

function opened(path: string, readFile: ReadFile): string {
  try {
    return readFile(path);
  } catch (error) {
    const what = `unable to read admission control configuration from ${goQuote(path)} [${errorMessage(error)}]`;
    return fail(`failed to read plugin config: ${what}`);
  }
}

function sourceOf(
  { path, configuration }: Readonly<Record<string, unknown>>,
  directory: string,
  readFile: ReadFile,
): (() => string) | undefined {
  if (configuration !== undefined && configuration !== null) return () => stringifyJson(configuration);
  if (text(path) === '') return undefined;
  const file = resolve(directory, text(path));
  return () => {
    try {
      return readFile(file);
    } catch (error) {
      throw new Error(`Couldn't open admission plugin configuration ${file}: ${errorMessage(error)}`, { cause: error });
    }
  };
}

/** The old unversioned file format: the whole file is the configuration of the plugins that had one before versions existed. */
function legacy(source: string): PluginConfigurations | undefined {
  let value: unknown;
  try {
    value = parseYaml(Buffer.from(source));
  } catch {
    return undefined;
  }
  if (!isRecord(value) || value.kind !== undefined || value.apiVersion !== undefined) return undefined;
  if (!Object.values(unversioned).some((member) => Object.hasOwn(value, member))) return undefined;
  return new PluginConfigurations(new Map(Object.keys(unversioned).map((name) => [name, () => source])));
}
