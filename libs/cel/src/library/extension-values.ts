/** An IP address, as an integer of 32 or 128 bits. */
export class IpAddress {
  readonly bits: bigint;
  readonly family: 4 | 6;
  constructor(bits: bigint, family: 4 | 6) {
    this.bits = bits;
    this.family = family;
  }
}
/** An address with a prefix length; the host bits are preserved. */
export class Cidr {
  readonly address: IpAddress;
  readonly prefixLength: number;
  constructor(address: IpAddress, prefixLength: number) {
    this.address = address;
    this.prefixLength = prefixLength;
  }
}
/** A parsed request URI. */
export class Url {
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  constructor(text: string, parts: { scheme: string; host: string; path: string; query: string }) {
    this.text = text;
    this.scheme = parts.scheme;
    this.host = parts.host;
    this.path = parts.path;
    this.query = parts.query;
  }
}
export class Semver {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly pre: readonly (string | bigint)[];
  constructor(numbers: readonly [bigint, bigint, bigint], pre: readonly (string | bigint)[]) {
    this.numbers = numbers;
    this.pre = pre;
  }
}
/** A named format of the `format` library; `validate` returns the errors of a text. */
export class Format {
  readonly name: string;
  readonly validate: (text: string) => string[];
  /** The length of its regular expression in cost calculations. */
  readonly regexSize: number;
  constructor(name: string, regexSize: number, validate: (text: string) => string[]) {
    this.name = name;
    this.regexSize = regexSize;
    this.validate = validate;
  }
}
