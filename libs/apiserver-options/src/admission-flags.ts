import { errorMessage } from '@apichain/meta';
import {
  genericConfiguration,
  onlyPlugins,
  readPluginConfigurations,
  validateAdmissionSelection,
  type AdmissionSelection,
  type GenericConfiguration,
  type PluginOrder,
  type PluginConfigurations,
} from '@apichain/admission';
import { FlagError, type FlagDefinition } from './flag.ts';
import { readNamed } from './flag-files.ts';
import type { ParsedFlags } from './parse-flags.ts';

const section = 'Admission';

/** Flags of every server of the chain. Each server runs the plugins that concern its own objects. */
export const admissionFlags: readonly FlagDefinition[] = [
  {
    name: 'enable-admission-plugins',
    type: 'strings',
    section,
    usage: 'Admission plugins to enable in addition to the default ones.',
  },
  {
    name: 'disable-admission-plugins',
    type: 'strings',
    section,
    usage: 'Admission plugins to disable although they are on by default.',
  },
  {
    name: 'admission-control',
    type: 'strings',
    section,
    usage:
      'Deprecated: the complete list of admission plugins. Use --enable-admission-plugins and --disable-admission-plugins.',
  },
  {
    name: 'admission-control-config-file',
    type: 'string',
    section,
    usage: 'File of an AdmissionConfiguration, with the configuration of admission plugins.',
  },
];

/** The options that the admission flags set. */
export interface AdmissionOptions {
  readonly selection: AdmissionSelection;
  /** The configuration of plugins that only some servers have. */
  readonly configurations: PluginConfigurations;
  readonly generic: GenericConfiguration;
}

function selectionOf(flags: ParsedFlags, order?: PluginOrder): AdmissionSelection {
  const enable = flags.strings('enable-admission-plugins');
  const disable = flags.strings('disable-admission-plugins');
  const only = order === undefined ? flags.strings('admission-control') : [];
  if (only.length > 0) {
    if (enable.length + disable.length === 0) return asFlagError(() => onlyPlugins(only));
    const others = 'enable-admission-plugins/disable-admission-plugins';
    throw new FlagError(`admission-control and ${others} flags are mutually exclusive`);
  }
  const problems = validateAdmissionSelection({ enable, disable }, order);
  if (problems.length > 0)
    throw new FlagError(problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`);
  return { enable, disable };
}

/**
 * Reads the admission flags. `order` = the plugins of a server that has other ones than kube-apiserver, and not its deprecated flag. Throws
 * FlagError with the text of kube-apiserver.
 */
export function admissionOptions(flags: ParsedFlags, order?: PluginOrder): AdmissionOptions {
  const selection = selectionOf(flags, order);
  return asFlagError(() => {
    const configurations = readPluginConfigurations(flags.string('admission-control-config-file'), readNamed);
    return { selection, configurations, generic: genericConfiguration(configurations, selection, order) };
  });
}

/** Rethrows an error of the function as FlagError with the same message. */
export function asFlagError<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new FlagError(errorMessage(error));
  }
}
