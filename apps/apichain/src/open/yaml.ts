import { stringifyJson, stringifyYaml } from '@apichain/meta';

/** A document as YAML. Text with characters that YAML does not allow is possible only in JSON, which YAML readers take too. */
export function asYaml(document: object): string {
  try {
    return stringifyYaml(document);
  } catch (error) {
    if (error instanceof Error && error.name === 'YamlError') return `${stringifyJson(document)}\n`;
    throw error;
  }
}
