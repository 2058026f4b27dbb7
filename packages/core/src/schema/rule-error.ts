/** Why a rule does not compile, with the message of the API server, and which of its expressions is wrong. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
  readonly part: 'rule' | 'messageExpression';

  constructor(part: 'rule' | 'messageExpression', message: string, options?: ErrorOptions) {
    super(message, options);
    this.part = part;
  }
}
