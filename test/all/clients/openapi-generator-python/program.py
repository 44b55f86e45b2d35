"""Reads the settings as JSON from its argument and writes the outcome as JSON to its standard output."""

import json
import sys

from people_api import (
    ApiClient,
    ApiException,
    Configuration,
    EmployeesApi,
    GroupedReportCreateRequest,
    ListReportCreateRequest,
    OAuthApi,
    ReportListFilterInput,
    ReportsApi,
    ReportTextFilterInput,
    ReportUpdateWithColumns,
)


def body_of_error(call, *args, **options):
    """The client raises an exception for an error status. Its body is text."""
    try:
        call(*args, **options)
    except ApiException as error:
        return json.loads(error.body)
    raise AssertionError("The request was accepted.")


def rejection(problem):
    outcome = {"status": problem["status"], "code": problem["code"]}
    if "errors" in problem:
        outcome["pointers"] = [error.get("pointer") for error in problem["errors"]]
    return outcome


settings = json.loads(sys.argv[1])
configuration = Configuration(host=settings["baseUrl"])
client = ApiClient(configuration)
oauth, employees, reports = OAuthApi(client), EmployeesApi(client), ReportsApi(client)

credentials = {"client_id": settings["clientId"]}
wrong = body_of_error(oauth.create_token, "client_credentials", **credentials, client_secret="wrong")
token = oauth.create_token("client_credentials", **credentials, client_secret=settings["clientSecret"])
configuration.access_token = token.access_token

pages = []
cursor = {}
while True:
    page = employees.list_employees(page_size=3, **cursor)
    pages.append([employee.id for employee in page.data])
    if page.meta.next_cursor is None:
        break
    cursor = {"page_after": page.meta.next_cursor}

active = ReportListFilterInput(field="status", operator="in", value=["active"])
report = GroupedReportCreateRequest(
    title="Active by department", filters=[active], group_by=["department"]
)
report_id = reports.create_report(report).data.id
updated = reports.update_report(report_id, ReportUpdateWithColumns(title="Headcount"))
rows = reports.run_report(report_id).data
csv = reports.export_report(report_id)

missing = body_of_error(employees.get_employee, "unknown")
recent = ReportTextFilterInput(field="updated_at", operator="eq", value="yesterday")
malformed = body_of_error(
    reports.create_report, ListReportCreateRequest(title="Recent changes", filters=[recent])
)

reports.delete_report(report_id)

outcome = {
    "unauthenticated": wrong,
    "pages": pages,
    "reportId": report_id,
    "title": updated.data.attributes.title,
    "headcount": {row.attributes.department: row.attributes.count for row in rows},
    "csv": csv,
    "missing": rejection(missing),
    "malformed": rejection(malformed),
}
json.dump(outcome, sys.stdout)
