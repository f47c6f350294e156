"""The console's addresses: the administrator's, then everybody's."""

from connectors.console import urls_admin, urls_catalogue, urls_ledger, urls_lifecycle, urls_people

app_name = "console"
urlpatterns = [
    *urls_admin.urlpatterns,
    *urls_catalogue.urlpatterns,
    *urls_ledger.urlpatterns,
    *urls_lifecycle.urlpatterns,
    *urls_people.urlpatterns,
]
